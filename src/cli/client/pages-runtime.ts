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
