/** The part of a generated client that reads streams. Present only for documents with streams. */
export const STREAM_RUNTIME: string = String.raw`/**
 * The items of a stream. Read them once, with "for await". Leaving the loop, or aborting the call's signal, closes the
 * connection. If the connection breaks and the events have ids, the stream continues after the last event.
 */
export type Stream<Item> = AsyncIterable<Item> & {
  /** The id of the last event; undefined if no event had an id. Send it as "Last-Event-ID" to continue later. */
  readonly lastEventId: string | undefined;
};

/** The error that ended a stream: the error that the server sent, or the failure of a connection that cannot resume. */
export class StreamError extends Error {
  override readonly name = "StreamError";
  /** The body of the error; undefined if the connection broke. */
  readonly error: unknown;

  constructor(message: string, error?: unknown, cause?: unknown) {
    super(message, { cause });
    this.error = error;
  }
}

/** An event. Without "data", it only sets the id and the time before a reconnection. */
type ServerEvent = { type: string; data: string | undefined; id: string | undefined; retry: number | undefined };

/** The maximum number of reconnections before the stream fails, and the maximum wait before each. */
const MOST_ATTEMPTS = 6;
const LONGEST_WAIT = 30_000;

function streamer(options: ClientOptions): Send {
  const request = requester(options);
  return async (call, input = {}) => {
    const open = (id: string | undefined) =>
      request(call, {
        ...input,
        headers: { Accept: call.stream, ...input.headers, ...(id === undefined ? {} : { "Last-Event-ID": id }) },
      });
    const response = await open(undefined);
    // The type "never" is assignable to the result of any operation; only the calling code has the real type.
    if (formatOf(response) === undefined) return (await readResponse(call, response)) as never;
    const data = new Items(response, open, input.signal);
    return { ok: true, status: response.status, data, body: data, response } as never;
  };
}

function formatOf(response: Response): "events" | "lines" | undefined {
  const type = response.headers.get("Content-Type") ?? "";
  if (response.status !== 200) return undefined;
  if (type.startsWith("text/event-stream")) return "events";
  return type.startsWith("application/jsonl") ? "lines" : undefined;
}

class Items implements AsyncIterable<unknown> {
  lastEventId: string | undefined;
  private readonly first: Response;
  private readonly open: (id: string | undefined) => Promise<Response>;
  private readonly signal: AbortSignal | undefined;
  private wait = 1000;

  constructor(first: Response, open: (id: string | undefined) => Promise<Response>, signal?: AbortSignal) {
    this.first = first;
    this.open = open;
    this.signal = signal;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    if (formatOf(this.first) === "lines") return yield* readLines(this.first);
    let response: Response | undefined = this.first;
    while (response !== undefined) {
      let cause: unknown;
      const events = readEvents(response);
      try {
        for (;;) {
          let step: IteratorResult<ServerEvent, void>;
          try {
            step = await events.next();
          } catch (error) {
            cause = error;
            break;
          }
          if (step.done === true) break;
          const { type, data, id, retry } = step.value;
          if (id !== undefined) this.lastEventId = id === "" ? undefined : id;
          this.wait = retry ?? this.wait;
          if (data === undefined) continue;
          if (type === "end") return;
          if (type === "error") throw failureOf(data);
          yield JSON.parse(data);
        }
      } finally {
        await events.return();
      }
      response = await this.resume(cause);
    }
  }

  /** Reopens the stream after the last event. Returns undefined if the server has no more events. */
  private async resume(cause: unknown): Promise<Response | undefined> {
    let last = cause;
    for (let attempt = 0; attempt < MOST_ATTEMPTS && this.lastEventId !== undefined; attempt++) {
      this.signal?.throwIfAborted();
      await pause(Math.min(this.wait * 2 ** attempt, LONGEST_WAIT), this.signal);
      try {
        const response = await this.open(this.lastEventId);
        if (formatOf(response) === "events") return response;
        if (response.status === 204) return undefined;
        const text = await response.text();
        last = new UnexpectedResponseError("The stream cannot continue: status " + response.status + ".", response, text);
        if (response.status < 500) break;
      } catch (error) {
        last = error;
      }
    }
    this.signal?.throwIfAborted();
    throw new StreamError("The stream broke off before its end.", undefined, last);
  }
}

function failureOf(data: string): StreamError {
  const error = parse(data);
  const { message } = Object(error) as { message?: unknown };
  return new StreamError(typeof message === "string" ? message : "The stream failed.", error);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}

async function* readText(response: Response): AsyncGenerator<string, void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // Closes the connection, unless the body has ended.
    await reader.cancel().catch(() => undefined);
  }
}

async function* readLines(response: Response): AsyncGenerator<unknown, void> {
  let rest = "";
  for await (const text of readText(response)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
  if (rest.trim() !== "") yield JSON.parse(rest);
}

/** Reads events as browsers do (HTML Living Standard, 9.2.6). */
async function* readEvents(response: Response): AsyncGenerator<ServerEvent, void> {
  let rest = "";
  let fields: string[] = [];
  let endsWithCr = false;
  for await (const text of readText(response)) {
    if (text === "") continue;
    // A CR ends a line immediately. A following LF belongs to the same line end.
    const lines = (rest + (endsWithCr && text.startsWith("\n") ? text.slice(1) : text)).split(/\r\n|\n|\r/);
    endsWithCr = text.endsWith("\r");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") fields.push(line);
      else {
        yield eventOf(fields);
        fields = [];
      }
    }
  }
}

function eventOf(fields: readonly string[]): ServerEvent {
  const data: string[] = [];
  const event: ServerEvent = { type: "message", data: undefined, id: undefined, retry: undefined };
  for (const field of fields) {
    const colon = field.indexOf(":");
    const name = colon < 0 ? field : field.slice(0, colon);
    const value = colon < 0 ? "" : field.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "event") event.type = value || "message";
    else if (name === "id" && !value.includes("\0")) event.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) event.retry = Number(value);
  }
  if (data.length > 0) event.data = data.join("\n");
  return event;
}
`
