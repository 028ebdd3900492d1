import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi.js'
import type { AppModel } from '../../contracts/route-model.js'
import { ERROR_SCHEMAS } from '../../openapi/envelopes.js'
import { createResponseCompiler, type FindMismatches } from '../../schema/response-validator.js'
import type { Exchange } from '../exchange.js'
import { checkAnswer, documentedStatus } from './check-answer.js'
import type { ContractCoverage } from './contract-coverage.js'
import type { DocumentedOperations } from './documented-operations.js'
import { ContractError, type ContractViolation, formatViolations } from './violation.js'

type Compile = (schema: OpenApiSchema) => FindMismatches

/** What of an application's contract is watched, and how. */
export interface ContractConfig {
  /** Asked for with the first answer: the document need not be built before. */
  readonly operations: () => DocumentedOperations
  readonly mode: 'warn' | 'throw'
  readonly coverage: ContractCoverage
}

/** What was said on stderr already: a suite makes an application for every test, and reads it once. By what is the same then. */
const warned = new WeakMap<AppModel, Set<string>>()

/** Checks every answer of an application against its document. */
export class Contract {
  readonly #config: ContractConfig
  readonly #compilers: WeakMap<OpenApiDocument, Compile> = new WeakMap()
  readonly #violations: Map<string, ContractViolation> = new Map()
  #isUnreadable = false

  constructor(config: ContractConfig) {
    this.#config = config
  }

  /** Everything that was found, each once. */
  get violations(): ContractViolation[] {
    return [...this.#violations.values()]
  }

  /** What is wrong with an answer, for whoever waits for it; with `warn`, nobody does. */
  readonly judge = (exchange: Exchange): Error | undefined => {
    try {
      return this.#judge(exchange)
    } catch (cause) {
      // Thrown from here it would end the process, out of a parser: a document that cannot be written is why.
      return this.#unreadable(exchange, cause)
    }
  }

  #judge(exchange: Exchange): ContractError | undefined {
    const { operations, mode, coverage } = this.#config
    const { model } = operations()
    const documented = operations().find(exchange.method, exchange.url)
    if (documented === undefined) return undefined
    const key = documentedStatus(documented, exchange.status)
    if (key !== undefined) coverage.record(documented, key)
    const compile = this.#compilerOf(documented.document)
    const found = checkAnswer(exchange, { documented, key, compile })
    if (found.length === 0) return undefined
    for (const violation of found) this.#violations.set(identityOf(violation), violation)
    if (mode === 'throw') return new ContractError(found)
    warn(model, found)
    return undefined
  }

  #unreadable({ method, url }: Exchange, cause: unknown): Error | undefined {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The answer to ${method} ${url} cannot be held against the document: ${reason}`
    if (this.#config.mode === 'throw') return new Error(message, { cause })
    if (!this.#isUnreadable) process.stderr.write(`${message}\n`)
    this.#isUnreadable = true
    return undefined
  }

  #compilerOf(document: OpenApiDocument): Compile {
    const known = this.#compilers.get(document)
    if (known !== undefined) return known
    const compile = createResponseCompiler({ ...ERROR_SCHEMAS, ...document.components.schemas })
    this.#compilers.set(document, compile)
    return compile
  }
}

function identityOf({ operationId, status, kind, path, expected }: ContractViolation): string {
  return [operationId, status, kind, path, expected].join(' ')
}

/** Once for every operation and kind of problem. */
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
