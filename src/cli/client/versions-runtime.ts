import type { ClientOperation } from './client-operation.js'

/** The facts about versions that the calls of a client have. */
export interface ClientVersions {
  readonly operations: readonly ClientOperation[]
  /** The version that `Accept` names; `undefined` without one. */
  readonly accepted: string | undefined
}

/** Adds to the runtime what a client of an API with versions needs. Other clients stay as they are. */
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
  member: `  /** The version of the API, which "Accept" names. */
  readonly version: string;
`,
  code: `    const accept = headers.get("Accept") ?? "*/*";
    headers.set("Accept", accept.replace(/^[^;,]+/, (type) => type + "; version=" + call.version));
`,
}
