import type { Request } from './types';

/** Where requests go. */
export const BASE_URL: string = 'http://localhost';

export type Handler<T = unknown> = (request: Request) => Promise<T>;

type Options = {
  retries?: number;
  onError(error: Error): void;
};

// What can be closed.
export interface Closable extends Disposable {
  readonly closed: boolean;
  close(force?: boolean): Promise<void>;
  (call: number): string;
  new (x: string): Closable;
}

export enum Status {
  Ok = 200,
  Missing = 404,
}

declare const VERSION: string;
declare function external(name: string): void;

export declare namespace Legacy.Api {
  function run(): void;
}

export namespace Wire {
  export function encode(text: string): Uint8Array {
    return new TextEncoder().encode(text);
  }
  export class Frame {}
}

declare module 'express' {
  interface Request { user: string }
}

/** Parses. */
export function parse(text: string): object;
export function parse(text: Uint8Array): object;
export function parse(text: unknown): object {
  return {};
}

@Injectable()
@Component({
  selector: 'app',
})
export abstract class Client<T extends object> implements Closable {
  static instances = 0;
  private readonly url: string;
  protected queue: Array<() => void> = [];

  constructor(
    private readonly http: Http, // injected
    url: string = BASE_URL,
  ) {
    this.url = url;
  }

  abstract send(request: Request): Promise<T>;

  @Log('x')
  async close(force = false): Promise<void> {
    const helper = (x: number): number => x;
    await helper(1);
  }

  handle = async (event: Event): Promise<void> => {
    this.queue = [];
  };

  get size(): number {
    return this.queue.length;
  }

  set size(value: number) {}

  static create<U extends object>(this: new () => Client<U>): Client<U> {
    return new this();
  }

  #secret(): void {}
}

export const fetchAll = async <T,>(urls: string[]): Promise<T[]> => {
  return [];
};

export default class Größe {}

const routes: Record<string, Handler> = {
  async index(request) {
    return request;
  },
  show: async (request) => request,
};

function isClient(value: unknown): value is Client<object> {
  return true;
}

export function assertOk(value: unknown): asserts value {}
