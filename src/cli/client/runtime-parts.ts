import type { ClientOperation } from './client-operation.js'

/** The part of a generated client that repeats writes. Present only for documents with idempotency keys. */
export const WRITES_RUNTIME: string = `/** The maximum number of attempts to send a write, and the longest pause between two attempts, in milliseconds. */
const ATTEMPTS = 4;
const LONGEST_PAUSE = 30_000;

/**
 * Sends a write with a key, and sends it again with the same key if no response arrives, if the server is
 * unavailable, or while an earlier attempt is still running. The server runs the write only once.
 */
async function repeated<Sent>(send: (input: CallInput) => Promise<Sent>, input: CallInput = {}): Promise<Sent> {
  const headers = new Map(entriesOf(input.headers));
  const given = [...headers.keys()].some((name) => name.toLowerCase() === "idempotency-key");
  if (!given) headers.set("Idempotency-Key", crypto.randomUUID());
  const keyed = { ...input, headers: Object.fromEntries(headers) };
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === ATTEMPTS;
    try {
      const result = await send(keyed);
      const pause = pauseOf(result as Success<number, unknown> | Failure<number, unknown>, attempt);
      if (pause === undefined || isLast) return result;
      await passed(pause, input.signal);
    } catch (error) {
      // fetch rejects with a TypeError if the connection was lost.
      if (isLast || input.signal?.aborted === true || !(error instanceof TypeError)) throw error;
      await passed(backoff(attempt), input.signal);
    }
  }
}

/** The pause before the next attempt; undefined if the result is final. A 409 without Retry-After is also final. */
function pauseOf({ status, response }: Success<number, unknown> | Failure<number, unknown>, attempt: number): number | undefined {
  const seconds = response.headers.get("Retry-After");
  if (status !== 503 && !(status === 409 && seconds !== null)) return undefined;
  const wanted = Number(seconds ?? Number.NaN) * 1000;
  return Number.isNaN(wanted) ? backoff(attempt) : Math.min(wanted, LONGEST_PAUSE);
}

function backoff(attempt: number): number {
  return 250 * 2 ** attempt * (0.5 + Math.random() / 2);
}

function passed(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
`

/** The part of a generated client that sends `If-Match`. Present only for documents with this header. */
export const CONDITIONS_RUNTIME: string = `function conditional(input: (CallInput & { readonly ifMatch?: string | undefined }) | undefined): CallInput | undefined {
  const { ifMatch, ...rest } = input ?? {};
  return ifMatch === undefined ? rest : { ...rest, headers: { ...rest.headers, "If-Match": ifMatch } };
}
`

/** The part of a generated client that reads all pages of a list. Present only for documents with pages. */
export const PAGES_RUNTIME: string = `/** An item of a paginated operation. */
export type PageItem<Id extends OperationId> =
  Extract<SuccessData<Id>, { readonly items: readonly unknown[] }>["items"][number];

/** The error response that ended a loop over all pages. A single call to the operation would have returned it. */
export class FailedPageError extends Error {
  override readonly name = "FailedPageError";
  readonly status: number;
  /** The body of the failure. */
  readonly error: unknown;
  readonly response: Response;

  constructor({ status, error, response }: Failure<number, unknown>) {
    const { message } = Object(error) as { message?: unknown };
    super(typeof message === "string" ? message : "A page has status " + status + ".");
    this.status = status;
    this.error = error;
    this.response = response;
  }
}

type PagedMethod = (input: never) => Promise<unknown>;

function withAll<Method extends PagedMethod, All>(method: Method, all: (method: Method) => All): Method & { readonly all: All } {
  return Object.assign(method, { all: all(method) });
}

async function* readAll<Item>(method: PagedMethod, parameter: string, input: CallInput = {}): AsyncGenerator<Item, void> {
  let query: { readonly [name: string]: unknown } = { ...input.query };
  for (;;) {
    input.signal?.throwIfAborted();
    const result = (await method({ ...input, query } as never)) as Success<number, unknown> | Failure<number, unknown>;
    if (!result.ok) throw new FailedPageError(result);
    const { items, next } = Object(result.data) as { items?: unknown; next?: unknown };
    const unexpected = (cause: string) =>
      new UnexpectedResponseError("A page " + cause + ".", result.response, JSON.stringify(result.body) ?? "");
    if (!Array.isArray(items)) throw unexpected("has no list of items");
    for (const item of items) {
      input.signal?.throwIfAborted();
      yield item as Item;
    }
    if (next === null || next === undefined) return;
    if (next === query[parameter]) throw unexpected("is its own next page");
    query = { ...query, [parameter]: next };
  }
}
`

/** The version information in a client's calls. */
interface ClientVersions {
  readonly operations: readonly ClientOperation[]
  /** The version that `Accept` specifies; `undefined` if it does not specify a version. */
  readonly accepted: string | undefined
}

/** Adds the runtime code for versions. If a document has no versions, the code does not change. */
export function withVersions(runtime: string, { operations, accepted }: ClientVersions): string {
  const hasFixed = operations.some(({ fixed }) => Object.keys(fixed).length > 0)
  const own = [...(hasFixed ? [FIXED] : []), ...(accepted === undefined ? [] : [ACCEPTED])]
  return own.reduce(
    (text, { member, code }) =>
      text.replace(STATUSES, () => member + STATUSES).replace(INIT, () => code + INIT),
    runtime,
  )
}

const STATUSES = '  readonly statuses: readonly string[];\n'
const INIT = '    const init: RequestInit = { method: call.method, headers };\n'

const FIXED = {
  member: `  /** Headers that always have the same value. */
  readonly fixed?: object;
`,
  code: '    addHeaders(headers, call.fixed);\n',
}

const ACCEPTED = {
  member: `  /** The version of the API, which is sent in "Accept". */
  readonly version: string;
`,
  code: `    const accept = headers.get("Accept") ?? "*/*";
    headers.set("Accept", accept.replace(/^[^;,]+/, (type) => type + "; version=" + call.version));
`,
}
