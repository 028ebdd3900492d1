import { type AppOptions, Controller, Get, Post, type Request, type Response } from 'blazon'
import { memorySessions, type Session, type SessionsOptions, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { failing } from './support.js'

const Values = z.object({
  text: z.string().optional(),
  visits: z.number().default(0),
  any: z.any().optional(),
})

type Own = Session<z.input<typeof Values>, z.output<typeof Values>>

/** What a handler does with the session of its request. */
export type Work = (session: Own, req: Request, res: Response) => unknown

/** Calls of the store, by name. */
export interface Calls {
  readonly name: string
  readonly args: readonly unknown[]
}

/** An application whose handler does what a test says, and its store, which notes its calls. */
export async function startSessions(
  options: SessionsOptions<unknown, unknown, unknown> = {},
  more: AppOptions = {},
) {
  const calls: Calls[] = []
  const inner = failing(options.store ?? memorySessions(), () => false)
  const store = new Proxy(inner, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function' || name === 'open') return member
      return (...args: unknown[]) => {
        calls.push({ name: String(name), args })
        return member(...args)
      }
    },
  })
  const web = sessions<z.input<typeof Values>, z.output<typeof Values>>({
    ...(options as object),
    schema: Values,
    store,
  })
  let work: Work = () => {}

  @Controller('do')
  class DoController {
    @Post() async post(req: Request, res: Response) {
      return (await work(await web.of(req), req, res)) ?? null
    }

    @Get() async get(req: Request, res: Response) {
      return (await work(await web.of(req), req, res)) ?? null
    }
  }
  const app = await TestApp.create({
    controllers: [DoController],
    plugins: [web],
    contract: 'off',
    ...more,
  })
  onTestFinished(() => app.close())
  await app.clock.advance(0)

  /** Sends a request as a page of the application. Its handler does the work. */
  async function send(next: Work, cookie?: string, headers: Record<string, string> = {}) {
    work = next
    const sent = app
      .request()
      .post('/do')
      .set({ 'sec-fetch-site': 'same-origin', ...headers })
    const reply = await (cookie === undefined ? sent : sent.set('cookie', cookie))
    const lines = (reply.headers['set-cookie'] ?? []) as unknown as string[]
    return {
      status: reply.status,
      code: reply.body?.code as string | undefined,
      data: reply.body?.data,
      headers: reply.headers,
      lines,
      cookie: lines.at(-1)?.split(';')[0] as string,
    }
  }
  return { app, web, store: inner, calls, send }
}

/** The message of an error with which work fails; `done` if it does not fail. */
export function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: Error) => error.message,
  )
}
