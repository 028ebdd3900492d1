import {
  Clock,
  HttpError,
  InjectionToken,
  type Interceptor,
  inject,
  type Request,
  type Response,
} from 'blazon'

/** How {@link Retry} repeats a handler. */
export interface RetryOptions {
  /** How often the handler runs at most. */
  readonly attempts: number
  /** Milliseconds before the second run; the time doubles for each further run. */
  readonly waitMs: number
  /** Whether running the handler again may help, and does no harm. */
  readonly isSafe: (error: unknown, req: Request) => boolean
}

/** The options of {@link Retry}. By default, reads are repeated that failed with 503. */
export const RetryOptions = new InjectionToken<RetryOptions>('RetryOptions', {
  useFactory: () => ({
    attempts: 3,
    waitMs: 100,
    isSafe: (error, { method }) =>
      (method === 'GET' || method === 'HEAD') && HttpError.is(error) && error.status === 503,
  }),
})

/** Calls a handler again if its failure is safe to repeat. It waits by the clock of the application. */
export class Retry implements Interceptor {
  readonly #clock = inject(Clock)
  readonly #options = inject(RetryOptions)

  async intercept(req: Request, next: () => unknown, res: Response): Promise<unknown> {
    const { attempts, waitMs, isSafe } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await next()
      } catch (error) {
        const isOver = res.headersSent || req.signal.aborted
        if (attempt >= attempts || isOver || !isSafe(error, req)) throw error
        await this.#wait(waitMs * 2 ** (attempt - 1), req.signal)
        if (req.signal.aborted) throw error
      }
    }
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(end, ms)
      signal.addEventListener('abort', end)
      function end() {
        timer.cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
    })
  }
}
