import { checkResponse, documentedStatus } from '../../app/contract/check-response.js'
import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import type { DocumentedOperations } from '../../app/contract/documented-operations.js'
import { type Exchange, ResponseCompilers } from '../../app/contract/exchange.js'
import type { ContractViolation, ViolationKind } from '../../contracts/contract-violation.js'
import type { OpenApiSchema } from '../../contracts/openapi.js'
import type { AppModel } from '../../contracts/route-model.js'
import type { ContractCoverage } from './contract-coverage.js'

/** A violation without its operation, which is determined from the request. */
export type UnnamedViolation = Omit<ContractViolation, 'operation' | 'operationId'>

/** A request whose route is running, and the index of the route. */
export interface RunningRequest extends Pick<Exchange, 'method' | 'url'> {
  readonly index: number
}

/** The settings of the contract check of one application. */
export interface ContractConfig {
  /**
   * Returns the operations. The check calls this function only when it needs the operations, so that the document is
   * not built earlier.
   */
  readonly operations: () => DocumentedOperations
  readonly mode: 'warn' | 'throw'
  readonly coverage: ContractCoverage
}

/**
 * The warnings that have already been printed to stderr. A test suite creates an application for every test, but each
 * warning should be printed once. The key is the model, which these applications share.
 */
const warned = new WeakMap<AppModel, Set<string>>()

/** Checks every response of an application against its document. */
export class Contract {
  readonly #config: ContractConfig
  readonly #compilers: ResponseCompilers = new ResponseCompilers()
  readonly #violations: Map<string, ContractViolation> = new Map()
  #isUnreadable = false
  /**
   * Violations found while a request was running, by method and URL. Each violation is reported with the response to
   * its request.
   */
  readonly #noted: Map<string, ContractError> = new Map()

  constructor(config: ContractConfig) {
    this.#config = config
  }

  /** All violations, without duplicates. */
  get violations(): ContractViolation[] {
    return [...this.#violations.values()]
  }

  /** Checks a response. In mode `'throw'`, returns an error; in mode `'warn'`, prints the violations. */
  readonly checkExchange = (exchange: Exchange): Error | undefined => {
    try {
      return this.#checkExchange(exchange)
    } catch (cause) {
      // `checkExchange` runs in a callback of the HTTP parser, where an error would end the process. The only possible
      // cause is a document that cannot be built.
      return this.#unreadable(exchange, cause)
    }
  }

  #checkExchange(exchange: Exchange): ContractError | undefined {
    const { operations, coverage } = this.#config
    const noted = this.#takeNoted(exchange)
    const documented = operations().find(exchange.method, exchange.url, exchange.sent)
    if (documented === undefined) return noted
    const key = documentedStatus(documented, exchange.status)
    if (key !== undefined) coverage.record(documented, key)
    const compile = this.#compilers.of(documented.document)
    const found = checkResponse(exchange, { documented, key, compile })
    const error = this.#add(found)
    if (error === undefined || noted === undefined) return error ?? noted
    return new ContractError([...noted.violations, ...error.violations])
  }

  /** Records a violation found while a request is running. In mode `'throw'`, that request fails. */
  note(request: RunningRequest, violation: UnnamedViolation): void {
    try {
      this.#note(request, violation)
    } catch {
      // The document cannot be built, which `checkExchange` reports with the response.
    }
  }

  #note({ method, url, index }: RunningRequest, violation: UnnamedViolation): void {
    const documented = this.#config.operations().at(index, method)
    const { name: operation, operationId = '' } = documented ?? { name: `${method} ${url}` }
    const error = this.#add([{ operation, operationId, ...violation }])
    if (error === undefined) return
    const known = this.#noted.get(`${method} ${url}`)?.violations ?? []
    this.#noted.set(`${method} ${url}`, new ContractError([...known, ...error.violations]))
  }

  /** Compares a stream item with the document. Returns an error in mode `'throw'`. */
  checkItem({ index, method }: RunningRequest, item: unknown): Error | undefined {
    const documented = this.#config.operations().at(index, method)
    if (documented === undefined) return undefined
    const { name: operation, operationId, handler, document } = documented
    const schema = itemSchemaOf(documented)
    if (schema === undefined) return undefined
    const found = this.#compilers.of(document)(schema)(item)
    const remedy =
      'Correct the items that the handler yields, or the schema of its @Sse or @JsonLines.'
    const about = { operation, operationId, handler, status: 200, kind: 'body', remedy } as const
    return this.#add(found.map((mismatch) => ({ ...about, ...mismatch })))
  }

  #takeNoted({ method, url }: Exchange): ContractError | undefined {
    const noted = this.#noted.get(`${method} ${url}`)
    this.#noted.delete(`${method} ${url}`)
    return noted
  }

  #add(found: readonly ContractViolation[]): ContractError | undefined {
    if (found.length === 0) return undefined
    for (const violation of found) this.#violations.set(identityOf(violation), violation)
    if (this.#config.mode === 'throw') return new ContractError(found)
    warn(this.#config.operations().model, found)
    return undefined
  }

  #unreadable({ method, url }: Exchange, cause: unknown): Error | undefined {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The response to ${method} ${url} cannot be compared with the document: ${reason}`
    if (this.#config.mode === 'throw') return new UnbuiltDocumentError(message, { cause })
    if (!this.#isUnreadable) process.stderr.write(`${message}\n`)
    this.#isUnreadable = true
    return undefined
  }
}

/** The schema of the items that an operation streams; `undefined` if it does not stream. */
function itemSchemaOf({ operation }: DocumentedOperation): OpenApiSchema | undefined {
  const response = operation.responses['200']
  if (response === undefined || '$ref' in response) return undefined
  return Object.values(response.content ?? {})[0]?.['x-item-schema']
}

function identityOf(violation: ContractViolation): string {
  const { operation, operationId, status, kind, path, expected } = violation
  return [operation, operationId, status, kind, path, expected].join(' ')
}

/** Prints violations once for each operation and kind. */
function warn(model: AppModel, found: readonly ContractViolation[]): void {
  const known = warned.get(model) ?? new Set()
  warned.set(model, known)
  const isNew = ({ operationId, kind }: ContractViolation) => {
    const key = `${operationId} ${kind}`
    return !known.has(key) && known.add(key)
  }
  const fresh = found.filter(isNew)
  if (fresh.length > 0) process.stderr.write(`${formatViolations(found)}\n`)
}

/** Thrown when a response differs from its document. */
export class ContractError extends Error {
  /** Always `ContractError`. */
  override readonly name = 'ContractError'
  /** The violations of one response; at least one. */
  readonly violations: readonly ContractViolation[]

  /**
   * Creates one error for all violations of a response.
   *
   * @param violations The violations: at least one.
   */
  constructor(violations: readonly ContractViolation[]) {
    super(formatViolations(violations))
    this.violations = violations
  }
}

/** Thrown if no document can be built for the comparison. The response itself is not the cause. */
export class UnbuiltDocumentError extends Error {}

const WHAT: { readonly [K in ViolationKind]?: string } = {
  'cache-key': 'is cached, but its cache key does not contain a value that its handler reads',
  visibility: 'contains fields that the caller is not allowed to see',
}

/** Formats the violations of one response as a message. */
function formatViolations(violations: readonly ContractViolation[]): string {
  const [first] = violations
  if (first === undefined) return ''
  const { operation, operationId, handler, status, kind } = first
  const what = WHAT[kind] ?? `responded ${status}, but its document differs`
  const remedies = new Set(violations.map(({ remedy }) => `  → ${remedy}`))
  return [
    `${operation} ${what} (${operationId}, ${handler}):`,
    ...violations.map((violation) => `  ${formatLine(violation)}`),
    ...remedies,
  ].join('\n')
}

function formatLine({ kind, path, expected, got }: ContractViolation): string {
  const place = path === '' ? kind : `${kind} ${path}`
  return expected === null
    ? `${place} is not documented; got ${got}`
    : `${place}: expected ${expected}, got ${got}`
}
