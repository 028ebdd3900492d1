import { postgres } from 'blazon/postgres'
import { TestApp, type TestOptions } from 'blazon/testing'
import { onTestFinished } from 'vitest'
import type { ServerDatabase } from '../../integrations/postgres/own-database.js'
import { AccountController, LinkMails, web } from './accounts.js'
import { PasswordHashes, type Recipe } from './password-hashes.js'

/** The least work, for tests that are about other things. */
export const CHEAP = { m: 64, t: 1, p: 1 }

/** Hashes that note their work, and wait where a test holds them. */
export class WatchedHashes extends PasswordHashes {
  /** The method and the cost of each key that was derived. */
  readonly work: Omit<Recipe, 'salt'>[] = []
  /** How many keys are derived now, and the most at one time. */
  running = 0
  most = 0
  /** Called before each key is derived. */
  before: () => unknown = () => {}

  protected override async derive(password: Buffer, recipe: Recipe): Promise<Buffer> {
    const { method, cost } = recipe
    this.work.push({ method, cost } as Recipe)
    this.running++
    this.most = Math.max(this.most, this.running)
    await this.before()
    try {
      return await super.derive(password, recipe)
    } finally {
      this.running--
    }
  }
}

/** What was sent to a browser. */
export interface Reply {
  readonly status: number
  readonly code: string | undefined
  readonly cookie: string | undefined
  readonly body: unknown
  /** The headers that do not change from one response to the next. */
  readonly headers: Readonly<Record<string, unknown>>
}

/** The application of the page, with the links that it has sent. It closes after the test. */
export async function startAccounts(
  database: ServerDatabase,
  hashes: WatchedHashes = new WatchedHashes({ cost: CHEAP }),
  more: TestOptions = {},
) {
  const links: { to: string; token: string }[] = []
  const app = await TestApp.create({
    controllers: [AccountController],
    providers: [
      { token: PasswordHashes, useValue: hashes },
      { token: LinkMails, useValue: { add: (link: (typeof links)[0]) => void links.push(link) } },
    ],
    auth: { guard: web },
    plugins: [postgres({ url: database.options.url }), web],
    contract: 'throw',
    ...more,
  })
  onTestFinished(async () => {
    await app.close()
    await database.run(
      'truncate accounts, password_links, login_attempts, blazon_sessions restart identity',
    )
  })
  async function send(path: string, body: object, cookie = ''): Promise<Reply> {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const reply = await app.request().post(`/account/${path}`).set(headers).send(body)
    const [line] = (reply.headers['set-cookie'] ?? []) as unknown as string[]
    const { date: _, ...rest } = reply.headers
    return {
      status: reply.status,
      code: reply.body?.code,
      cookie: line?.split(';')[0],
      body: reply.body,
      headers: rest,
    }
  }
  /** Gets an account, by the link in the mail. */
  async function register(email: string, password: string): Promise<void> {
    await send('link', { email })
    const token = links.at(-1)?.token
    const { status } = await send('password', { token, password })
    if (status !== 204) throw new Error(`The registration has failed with ${status}.`)
    hashes.work.length = 0
  }
  return { app, links, hashes, send, register }
}
