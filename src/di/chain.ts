import { Container } from '@needle-di/core'
import type { Token } from '../contracts/provider.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { tokenName } from './token.js'

/** The error for a provider that could not be created, with the chain of tokens, outermost first. */
class ChainError extends Error {
  constructor(
    readonly chain: readonly Token[],
    cause: unknown,
  ) {
    super('A provider could not be created', { cause })
  }
}

/**
 * Returns the problem for a token without a provider.
 *
 * @param keeper The module that has a private provider for the token, if any.
 */
export function missingProvider(token: Token, keeper?: string): Problem {
  const subject = tokenName(token)
  return {
    code: 'E_PROVIDER_MISSING',
    subject,
    cause:
      keeper === undefined
        ? `Nothing provides ${subject}.`
        : `Only ${keeper} provides ${subject}, but does not export it.`,
    remedy:
      keeper === undefined ? remedyFor(token) : `Add ${subject} to the \`exports\` of ${keeper}.`,
  }
}

function remedyFor(token: Token): string {
  if (token === undefined || token === null) {
    return 'An undefined token often results from a circular import: remove the cycle.'
  }
  return typeof token === 'function'
    ? 'Add it to `providers` of the application or of a module, or decorate it with @Injectable().'
    : 'Add a provider for it to `providers` of the application or of a module: { token, useClass | useValue | useFactory }.'
}

/** Runs one step of a construction. If the step throws, adds the token to the chain in the error. */
export function inChain<T>(token: Token, make: () => T): T {
  try {
    const made = make()
    return made instanceof Promise ? (made.catch((error) => rethrow(token, error)) as T) : made
  } catch (error) {
    return rethrow(token, error)
  }
}

function rethrow(token: Token, error: unknown): never {
  if (asyncTokenOf(error) !== undefined) throw error
  if (error instanceof ChainError) throw new ChainError([token, ...error.chain], error.cause)
  throw new ChainError([token], error)
}

let asyncError: unknown

/**
 * Returns needle-di's error class for asynchronous providers. The package exports neither the class nor an error code,
 * and minifiers change the class name, so the class is taken from an actual error.
 */
function asyncErrorClass(): unknown {
  if (asyncError !== undefined) return asyncError
  const container = new Container()
  container.bind({ provide: 'asynchronous', async: true, useFactory: async () => null })
  try {
    container.get('asynchronous')
  } catch (error) {
    asyncError = (error as Error).constructor
  }
  return asyncError
}

/**
 * Returns the token of an asynchronous provider, if the error was thrown because a synchronous construction needs this
 * provider; otherwise `undefined`.
 */
export function asyncTokenOf(error: unknown): Token | undefined {
  const isAsync = error instanceof Error && error.constructor === asyncErrorClass()
  return isAsync ? (error as Error & { token: Token }).token : undefined
}

/** Returns the original error, without the chain of tokens. */
export function originOf(error: unknown): unknown {
  return error instanceof ChainError ? error.cause : error
}

/** Converts an error from a construction to problems. Each problem contains the chain of tokens and a remedy. */
export function toProblems(error: unknown): readonly Problem[] {
  const chain = error instanceof ChainError ? error.chain.map(tokenName) : []
  const cause = error instanceof ChainError ? error.cause : error
  if (!(cause instanceof ConfigError)) return [failed(cause, chain)]
  return cause.problems.map((problem) => {
    // A problem with environment variables does not depend on the chain.
    if (problem.code === 'E_ENV_INVALID') return problem
    return { ...problem, cause: `${problem.cause}${injectedBy([...chain, problem.subject])}` }
  })
}

function failed(cause: unknown, chain: readonly string[]): Problem {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  const cycle = /^Error: Detected circular dependency: (.+?)\. /.exec(text)?.[1]?.split(' -> ')
  if (cycle !== undefined) return circular(cycle, chain)
  return {
    code: 'E_PROVIDER_FAILED',
    subject: chain.at(-1) ?? 'A provider',
    cause: `Its constructor or factory threw ${text}.${injectedBy(chain)}`,
    remedy:
      'Read the `cause` of this error. The stack of the cause shows the code that threw the error.',
  }
}

function injectedBy(chain: readonly string[]): string {
  return chain.length < 2 ? '' : ` Injected by: ${chain.join(' -> ')}.`
}

function circular(found: readonly string[], chain: readonly string[]): Problem {
  // If the cycle contains an asynchronous factory, needle-di reports only the two ends of the cycle. The chain contains
  // the rest.
  const end = found.at(-1) as string
  const start = chain.includes(`'${end}'`) ? `'${end}'` : end
  const cycle = found.length > 2 ? found : [...chain.slice(chain.indexOf(start)), start]
  return {
    code: 'E_PROVIDER_CIRCULAR',
    subject: cycle[0] as string,
    cause: `These providers need each other: ${cycle.join(' -> ')}.`,
    remedy:
      'Move the code that they share into another provider, or pass one provider to another in a method call.',
  }
}
