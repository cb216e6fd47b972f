// The JSON API: requests in turn, with errors in words that people use.

const NETWORK = 'The server cannot be reached.';
export const SIGNED_OUT = 'You are signed out. Sign in in another tab, then try again.';

/** Sends a request. What the browser says of a failure says nothing to people. */
export async function request(address, options, failure = NETWORK) {
  try {
    return await fetch(address, options);
  } catch {
    throw Object.assign(new Error(failure), { status: 0, isOffline: true });
  }
}

/** Sends a request that must succeed. */
export async function load(address, options) {
  const answer = await request(address, options);
  if (new URL(answer.url).pathname === '/login') throw new Error(SIGNED_OUT);
  if (answer.status !== 429 && answer.status < 500) return answer;
  throw Object.assign(new Error('The server is busy.'), { status: answer.status, isOffline: true });
}

export function api(method, path, body, revision) {
  const headers = { accept: 'application/json' };
  if (body) headers['content-type'] = 'application/json';
  if (revision) headers['if-match'] = `"${revision}"`;
  return send(method, path, body && JSON.stringify(body), headers);
}

async function send(method, path, body, headers) {
  const answer = await request(`/api${path}`, { method, headers, body }, `${NETWORK} Your change is not saved yet.`);
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  const problem = await answer.json().catch(() => ({}));
  const message = answer.status === 401
    ? SIGNED_OUT
    : problem.detail || problem.title || `The server answered with the status ${answer.status}.`;
  throw Object.assign(new Error(message), { status: answer.status, hint: problem.hint, isOffline: answer.status >= 502 });
}

/** Sends the content of a file. */
export const upload = (path, file) => send('POST', path, file, { 'content-type': file.type || 'application/octet-stream' });

const MAX_TRIES = 5;

/** Changes a field or a comment of an item that was last read at `revision`, with the value `original`.
 *
 *  A revision covers the whole item, so any other change is a conflict too; then the change is retried. Only if the
 *  same field changed does the user have to decide. */
export async function save(number, field, value, revision, original) {
  const home = `/items/${number}`;
  const change = field.startsWith('comments/') ? [`${home}/${field}`, { text: value }] : [home, { fields: { [field]: value } }];
  for (let n_tries = 0; ; n_tries += 1) {
    try {
      return await api('PATCH', ...change, revision);
    } catch (error) {
      if (error.status !== 412 || n_tries === MAX_TRIES) throw error;
      const now = await api('GET', home);
      if (plain(part(now, field)) !== plain(original)) throw Object.assign(error, { now });
      revision = now.revision;
    }
  }
}

/** Returns the value of a field or the text of a comment. */
export function part(item, field) {
  const value = item.comments?.find(({ id }) => field === `comments/${id}`)?.body ?? item[field];
  if (field === 'blocked') return value.is ? value.reason ?? 'yes' : '';
  return (value?.id ?? value ?? '').toString();
}

let turn = Promise.resolve();

/** Serializes changes, so that each uses the revision of the previous one. */
export function inTurn(work) {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

const plain = (text) => text.replace(/\r\n?/g, '\n').trimEnd();
