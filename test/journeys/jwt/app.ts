import {
  type AppOptions,
  Auth,
  type AuthGuard,
  Can,
  type Class,
  Clock,
  Controller,
  Get,
  inject,
  type Logger,
  type Request,
  type Token,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { onTestFinished } from 'vitest'

@Auth()
@Controller('me')
export class MeController {
  @Get()
  me(req: Request) {
    return req.user ?? null
  }

  @Can('orders:write')
  @Get('orders')
  orders() {
    return 'orders'
  }

  @Auth({ optional: true })
  @Get('maybe')
  maybe(req: Request) {
    return req.user?.id ?? 'anybody'
  }
}

/** Lines that a guard has logged. */
export interface GuardLog {
  readonly lines: string[]
  /** The facts of the lines. */
  readonly facts: object[]
}

/** A guard of an application with its clock, in place of one that has none. */
export function inApplication(guard: AuthGuard<unknown>, log: GuardLog): Class<AuthGuard> {
  const write = (facts: object, message: string) => {
    log.lines.push(message)
    log.facts.push(facts)
  }
  const logger: Logger = { info: write, warn: write, error: write }
  return class {
    readonly #clock = inject(Clock)
    #own: AuthGuard | undefined

    async onInit() {
      const get = <T>(token: Token<T>): T => {
        if ((token as unknown) === Clock) return this.#clock as T
        throw new Error('The guard asked for something else.')
      }
      this.#own = (await guard.forApplication?.({ get, logger })) as AuthGuard
    }

    canActivate(req: Request) {
      return (this.#own as AuthGuard).canActivate(req)
    }
  }
}

/** An application under test. It closes after the test. */
export interface GuardedApp {
  readonly app: TestApp
  readonly log: GuardLog
  /** Sends a token, and returns the status, the challenge and the data of the response. */
  send(token: string | undefined, path?: string): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly challenge: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route has returned
  readonly data: any
}

/** Creates an application with the guard. */
export async function createGuarded(
  guard: AuthGuard<unknown>,
  options: Partial<AppOptions> = {},
): Promise<GuardedApp> {
  const log: GuardLog = { lines: [], facts: [] }
  const app = await TestApp.create({
    controllers: [MeController],
    swagger: false,
    auth: { guard: inApplication(guard, log) },
    ...options,
  })
  onTestFinished(() => app.close())
  const send = async (token: string | undefined, path = '/me') => {
    const request = app.request().get(path)
    const sent = token === undefined ? request : request.set('authorization', `Bearer ${token}`)
    const { status, headers, body } = await sent
    return { status, challenge: headers['www-authenticate'], data: body?.data }
  }
  return { app, log, send }
}
