#!/usr/bin/env node
'use strict';

import { readFile } from 'node:fs/promises';

/** How many. */
export const LIMIT = 10;
let counter = 0;
var legacy, other = 1;
const { a, b } = require('./a');

/**
 * Adds.
 * @param {number} x
 */
export function add(x, y = { z: 1 }) {
  const local = 1;
  function nested() {}
  const arrow = () => local;
  return x + y + arrow();
}

export default function main() {}

export async function* generate() { yield 1; }

// An arrow.
export const multiply = async (x, y) => {
  return x * y;
};

const short = x => x, second = function named() {};

export const api = {
  version: 1,
  get(url) { return url; },
  post: async (url) => url,
  'put-it': function () {},
  nested: {
    deep() {},
  },
  get size() { return 0; },
};

@observer
class Store extends Base {
  static count = 0;
  #secret = 1;
  state = { a: 1 };

  constructor() {
    super();
  }

  // Handles clicks.
  handle = (event) => {
    this.#bump(event);
  };

  #bump() {}

  static create() { return new Store(); }

  get value() { return this.#secret; }

  set value(v) { this.#secret = v; }

  async *[Symbol.asyncIterator]() {}
}

export class Größe {}

const Anonymous = class extends Store {
  run() {}
};

Store.prototype.legacy = function (x) {
  return x;
};

exports.helper = function () {};
module.exports.other = () => {};
module.exports = { add };

describe('store', () => {
  it('adds', () => {
    const inTest = () => 1;
  });

  it('adds again, with a function of the same name', () => {
    const inTest = () => 2;
  });
});
