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
