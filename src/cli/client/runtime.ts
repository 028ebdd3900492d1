import { PAGES_RUNTIME } from './pages-runtime.js'
import { STREAM_RUNTIME } from './stream-runtime.js'

/**
 * The main part of a generated client: types, then the code that sends requests. It is the same for all documents,
 * except for documents with several security schemes or with versions.
 */
export const RUNTIME: string = String.raw`/** A documented response with a status below 400. */
export type Success<Status, Body, Data = Body> = {
  readonly ok: true;
  readonly status: Status;
  /** The "data" of the envelope; the whole body if there is no envelope. */
  readonly data: Data;
  readonly body: Body;
  /** The response of fetch, for example to read its headers. Its body has been read, unless it is an event stream. */
  readonly response: Response;
};

/** A response with a status of 400 or more. */
export type Failure<Status, Body> = {
  readonly ok: false;
  readonly status: Status;
  readonly error: Body;
  readonly response: Response;
};

type DataOf<Body> = Body extends { data?: infer Data } ? Data : undefined;

/** A success response whose body is the envelope. */
export type Enveloped<Status, Body> = Success<Status, Body, DataOf<Body>>;

/** A failure that the document does not describe, such as an error that a handler throws. */
export type UndocumentedError = {
  statusCode: "error";
  status: number;
  message: string;
  code?: string;
};

/** The statuses of a class, as literals, so that TypeScript can distinguish responses by "status". */
export type Status1XX = 100 | 101 | 102 | 103;
export type Status2XX = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
export type Status3XX = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;
export type Status4XX =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417
  | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451;
export type Status5XX = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

export type OperationId = keyof Operations;

/** The input of an operation. */
export type Input<Id extends OperationId> = Operations[Id]["input"];

/** The documented responses of an operation. Check "ok" or "status" to distinguish them. */
export type Result<Id extends OperationId> = Operations[Id]["result"];

/** The data of an operation's success responses. */
export type SuccessData<Id extends OperationId> = Extract<Result<Id>, { ok: true }>["data"];

/** The bodies of an operation's error responses. */
export type ErrorBody<Id extends OperationId> = Extract<Result<Id>, { ok: false }>["error"];

/** Options that every operation accepts. */
export type RequestOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Headers of this request. They replace the client's headers with the same names. */
  readonly headers?: { readonly [name: string]: string | number | boolean | undefined } | undefined;
};

export type ClientOptions = {
  /** The base URL of all paths in the document: "https://api.example.com". */
  readonly baseUrl: string;
  /** The function that sends requests. Default: the global fetch. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Headers that every request sends. */
  readonly headers?: { readonly [name: string]: string | number | boolean | undefined } | undefined;
  /** The token for protected operations, sent as "Authorization: Bearer ...". */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
};

/**
 * A response that does not match the document. It can come from a proxy or from another version of the
 * application.
 */
export class UnexpectedResponseError extends Error {
  override readonly name = "UnexpectedResponseError";
  readonly status: number;
  readonly response: Response;
  /** The body as text. */
  readonly body: string;

  constructor(message: string, response: Response, body: string) {
    super(message);
    this.status = response.status;
    this.response = response;
    this.body = body;
  }
}

type ParameterStyle = "form" | "list" | "deepObject";

type Call = {
  readonly method: string;
  readonly path: string;
  readonly query?: { readonly [name: string]: ParameterStyle };
  readonly body?: string;
  readonly statuses: readonly string[];
  /** The statuses whose responses are not JSON, or have no body. */
  readonly plain?: readonly string[];
  readonly enveloped?: readonly string[];
  /** Whether responses can have another media type than JSON if the caller requests it. */
  readonly offers?: boolean;
  /** Whether errors have the application's own format. */
  readonly ownErrors?: boolean;
  readonly isProtected?: boolean;
  /** The Accept header of a stream. */
  readonly stream?: string;
};

type CallInput = {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly headers?: object | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

type Send = (call: Call, input: CallInput | undefined) => Promise<never>;

function sender(options: ClientOptions): Send {
  const request = requester(options);
  // The type "never" is assignable to the result of any operation; only the calling code has the real type.
  return async (call, input = {}) => (await readResponse(call, await request(call, input))) as never;
}

function requester(options: ClientOptions): (call: Call, input: CallInput) => Promise<Response> {
  const base = options.baseUrl.replace(/\/+$/, "");
  return async (call, input) => {
    const headers = new Headers({ Accept: "application/json, */*;q=0.5" });
    addHeaders(headers, options.headers);
    if (call.isProtected === true) await addToken(headers, options.token);
    addHeaders(headers, input.headers);
    if (input.accept !== undefined) headers.set("Accept", input.accept);
    const init: RequestInit = { method: call.method, headers };
    // If fetch followed the redirect, the client would never receive the documented response.
    if (redirectOf(call) !== undefined) init.redirect = "manual";
    if (input.signal !== undefined) init.signal = input.signal;
    if (input.body !== undefined && call.body !== undefined) {
      init.body = encodeBody(input.body, input.contentType ?? call.body, headers);
    }
    const url = base + fillPath(call.path, input.params) + queryString(input.query, call.query);
    return await (options.fetch ?? globalThis.fetch)(url, init);
  };
}

function entriesOf(values: object | undefined): [string, unknown][] {
  return Object.entries(values ?? {}).filter(([, value]) => isGiven(value));
}

/** Whether a value can be sent. URLs and forms cannot contain null, either as a value or in a list. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function joined(list: readonly unknown[]): string {
  return list.filter(isGiven).map(encode).join(",");
}

function addHeaders(headers: Headers, values: object | undefined): void {
  for (const [name, value] of entriesOf(values)) headers.set(name, String(value));
}

async function addToken(headers: Headers, token: ClientOptions["token"]): Promise<void> {
  const value = typeof token === "function" ? await token() : token;
  if (value !== undefined) headers.set("Authorization", "Bearer " + value);
}

function fillPath(path: string, params: object | undefined): string {
  const values = new Map(entriesOf(params));
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values.get(name);
    const text = Array.isArray(value) ? joined(value) : encode(value ?? "");
    if (text === "") throw new TypeError("The path parameter " + name + " is missing or empty.");
    return text;
  });
  // URL parsers remove the segments "." and "..", so the request would be sent to another path.
  if (/\/\.{1,2}(?=\/|$)/.test(filled)) throw new TypeError("A path parameter must not be . or ..");
  return filled;
}

function encode(value: unknown): string {
  return encodeURIComponent(textOf(value));
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function queryString(query: object | undefined, styles: Call["query"] = {}): string {
  const pairs = entriesOf(query).flatMap(([name, value]) => queryPairs(name, value, styles[name]));
  return pairs.length === 0 ? "" : "?" + pairs.join("&");
}

function queryPairs(name: string, value: unknown, style: ParameterStyle = "form"): string[] {
  const pair = (key: string, item: unknown) => encode(key) + "=" + encode(item);
  const list = (items: unknown[]) => (items.some(isGiven) ? [encode(name) + "=" + joined(items)] : []);
  if (Array.isArray(value)) {
    return style === "list" ? list(value) : value.filter(isGiven).map((item) => pair(name, item));
  }
  if (typeof value !== "object" || value === null || value instanceof Date) return [pair(name, value)];
  const entries = entriesOf(value);
  if (style === "list") return list(entries.flat());
  return entries.flatMap(([key, item]) => {
    const full = style === "deepObject" ? name + "[" + key + "]" : key;
    return (Array.isArray(item) ? item.filter(isGiven) : [item]).map((each) => pair(full, each));
  });
}

function encodeBody(body: unknown, type: string, headers: Headers): NonNullable<RequestInit["body"]> {
  // Without parameters, such as a charset.
  const [essence = ""] = type.toLowerCase().split(/[ \t]*;/, 1);
  if (essence === "multipart/form-data") return body instanceof FormData ? body : formData(body);
  if (!headers.has("Content-Type")) headers.set("Content-Type", type);
  if (/[/+]json$/.test(essence)) return JSON.stringify(body);
  if (essence === "application/x-www-form-urlencoded" && !(body instanceof URLSearchParams)) {
    return queryString(body as object).slice(1);
  }
  return body as NonNullable<RequestInit["body"]>;
}

function formData(body: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of entriesOf(body as object)) {
    for (const item of Array.isArray(value) ? value.filter(isGiven) : [value]) {
      form.append(name, item instanceof Blob ? item : textOf(item));
    }
  }
  return form;
}

async function readResponse(call: Call, response: Response): Promise<unknown> {
  // Browsers hide the status of a redirect that was not followed.
  const isHidden = response.type === "opaqueredirect";
  const status = isHidden ? Number(redirectOf(call)) : response.status;
  const known = matching(call.statuses, status);
  if (known === undefined) return await readUndocumented(call, response);
  const isBare = call.method === "HEAD" || status === 204 || status === 205;
  const isOther = call.offers === true && status < 400 && !isJson(response);
  const isPlain = isBare || isOther || call.plain?.includes(known) === true;
  const body = isPlain ? await readPlain(response) : await readJson(call, response);
  if (status >= 400) return { ok: false, status, error: body, response };
  const isEnveloped = !isOther && call.enveloped?.includes(known) === true;
  const data = isEnveloped ? (body as { data?: unknown } | null | undefined)?.data : body;
  return { ok: true, status, data, body, response };
}

function redirectOf(call: Call): string | undefined {
  return call.statuses.find((status) => status.startsWith("3") && status !== "304");
}

async function readUndocumented(call: Call, response: Response): Promise<unknown> {
  const text = await response.text();
  const error = parse(text) as Partial<UndocumentedError> | null | undefined;
  const isOwn = call.ownErrors === true && isJson(response) && error !== undefined;
  if ((isOwn || error?.statusCode === "error") && response.status >= 400) {
    return { ok: false, status: response.status, error, response };
  }
  const summary = call.method + " " + call.path + " responded with status " + response.status;
  throw new UnexpectedResponseError(summary + ", which its document does not list.", response, text);
}

function matching(statuses: readonly string[], status: number): string | undefined {
  const names = [String(status), String(status).charAt(0) + "XX", "default"];
  return names.find((name) => statuses.includes(name));
}

async function readJson(call: Call, response: Response): Promise<unknown> {
  const text = await response.text();
  const value = isJson(response) ? parse(text) : undefined;
  if (value !== undefined) return value;
  const summary = call.method + " " + call.path + " responded with status " + response.status;
  throw new UnexpectedResponseError(summary + " without the JSON body that its document declares.", response, text);
}

async function readPlain(response: Response): Promise<unknown> {
  const type = response.headers.get("Content-Type") ?? "";
  if (type.startsWith("text/event-stream")) return response.body;
  if (type !== "" && !type.startsWith("text/") && !isJson(response)) return await response.blob();
  const text = await response.text();
  if (text === "") return undefined;
  return isJson(response) ? parse(text) : text;
}

function isJson(response: Response): boolean {
  return /^[^;]*[/+]json/i.test(response.headers.get("Content-Type") ?? "");
}

/** Parses JSON. Returns undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
`

/** The type names that a client can declare: the names of the runtime, `Client` and `Operations`. */
export const RUNTIME_NAMES: readonly string[] = [
  'Client',
  'Operations',
  ...[
    ...(RUNTIME + STREAM_RUNTIME + PAGES_RUNTIME).matchAll(/^(?:export )?(?:type|class) (\w+)/gm),
  ].map(([, name]) => name as string),
]
