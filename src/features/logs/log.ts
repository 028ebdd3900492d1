import type { Request } from '../../contracts/handler.js'
import type { LevelLogger, Logger, LogMethod } from '../../contracts/logger.js'
import { inject } from '../../di/inject.js'
import { InjectionToken } from '../../di/token.js'
import { WorkContext } from '../../http/contexts.js'
import { noteOf } from '../../http/observed-request.js'
import { type LineLevel, writeTo } from './levels.js'
import { requestFacts } from './request-facts.js'

/** Returns a copy of a value without the request's secrets. */
export type Hide = <T>(value: T, req: Request | undefined) => T

/** Access to the request that the current code runs for. */
interface Current {
  /** Makes routes record the current request. */
  need(): void
  get(): Request | undefined
}

/** Creates the {@link Log} of an application. */
export class RequestLogs {
  readonly #currentTenant: () => string | undefined
  readonly #currentRequest: Current
  /** Whether any code injects the logger. */
  isUsed = false
  #logger: Logger | null = null
  #hide: Hide = (value) => value

  /**
   * @param currentTenant Returns the current tenant.
   * @param currentRequest Provides the request whose facts are added to lines.
   */
  constructor(currentTenant: () => string | undefined, currentRequest: Current) {
    this.#currentTenant = currentTenant
    this.#currentRequest = currentRequest
  }

  /** Sets the logger of the application. Earlier lines are dropped. */
  configure(logger: Logger, hide: Hide): void {
    this.#logger = logger
    this.#hide = hide
  }

  /** Returns a logger that adds the facts of the current request and writes to the application's logger. */
  open(): LevelLogger {
    this.isUsed = true
    this.#currentRequest.need()
    return {
      trace: this.#method('trace'),
      debug: this.#method('debug'),
      info: this.#method('info'),
      warn: this.#method('warn'),
      error: this.#method('error'),
      fatal: this.#method('fatal'),
    }
  }

  #method(level: LineLevel): LogMethod {
    return (first: unknown, second?: unknown) => {
      if (this.#logger === null) return
      const req = this.#currentRequest.get()
      const isObject = typeof first === 'object' && first !== null
      const isError = first instanceof Error
      const given = isError ? { err: first } : isObject ? first : {}
      const message = String((isObject ? second : first) ?? (isError ? first.message : ''))
      const facts = joinFacts(this.#factsOf(req), this.#hide(given, req))
      if (req !== undefined) noteOf(req)?.({ by: 'log', verdict: level, reason: message })
      writeTo(this.#logger, level, facts, this.#hide(message, req))
    }
  }

  #factsOf(req: Request | undefined): Readonly<Record<string, unknown>> {
    const tenant = this.#currentTenant()
    return {
      ...(req === undefined ? WorkContext.current()?.facts : requestFacts(req)),
      ...(tenant !== undefined && { tenant }),
      ...(req !== undefined && { method: req.method, route: req.route?.path }),
    }
  }
}

/**
 * Adds a line's facts to the request's facts. If two facts have the same name but different values, the name of the
 * line's fact gets the suffix `_`. A line's facts may come from a request body, so they must not replace the request's
 * facts. Never throws.
 */
function joinFacts(own: Readonly<Record<string, unknown>>, given: object): object {
  const facts = { ...own }
  try {
    for (const key of Object.keys(given)) {
      const value = read(given, key)
      const isOther = Object.hasOwn(own, key) && own[key] !== value
      const name = isOther ? `${key}_` : key
      Object.defineProperty(facts, name, { ...OPEN, value })
    }
  } catch {
    // The application passed a proxy that threw an error. The line is written without the proxy's fields.
  }
  return facts
}

const OPEN = { writable: true, enumerable: true, configurable: true } as const

function read(value: object, key: string): unknown {
  try {
    return value[key as keyof typeof value]
  } catch {
    return '[unreadable]'
  }
}

/** The token under which an application provides its {@link RequestLogs}. */
export const LogSource: InjectionToken<RequestLogs> = new InjectionToken('LogSource')

/** A logger with a method for each level. */
export type Log = LevelLogger

/**
 * The token for the logger of the current request. In a route's code, each line contains the facts of the current
 * request: ID, trace, tenant, user, method and route. In a job, each line contains the job's ID and name, and the ID,
 * trace and user of the request that sent the job. Elsewhere, for example in a middleware or in an application's timer,
 * a line contains the tenant of the async context, if there is one. The application's logger writes the lines.
 *
 * @example
 * class Orders {
 *   private readonly log = inject(Log)
 *   ship(id: string) {
 *     this.log.info({ order: id }, 'Shipped')
 *   }
 * }
 */
export const Log: InjectionToken<Log> = new InjectionToken<Log>('Log', {
  useFactory: () => inject(LogSource).open(),
})
