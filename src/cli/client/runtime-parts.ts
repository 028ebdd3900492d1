import type { ClientOperation } from './client-operation.js'

/** The part of a generated client that sends `If-Match`. Present only for documents with this header. */
export const CONDITIONS_RUNTIME: string = `function conditional(input: (CallInput & { readonly ifMatch?: string | undefined }) | undefined): CallInput | undefined {
  const { ifMatch, ...rest } = input ?? {};
  return ifMatch === undefined ? rest : { ...rest, headers: { ...rest.headers, "If-Match": ifMatch } };
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
