import {
  type AppOptions,
  Auth,
  Body,
  Can,
  Controller,
  Delete,
  Get,
  inject,
  NotFoundError,
  Post,
  type Req,
  type Request,
  runWithTenant,
  type SessionStore,
  type User,
} from 'blazon'
import { type SessionsOptions, SetsSession, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

/** The values of the sessions of the tests. */
export const Values = z.object({
  cart: z.array(z.string()).default([]),
  visits: z.number().default(0),
  theme: z.string().optional(),
})

const Login = z.object({ id: z.number(), roles: z.array(z.string()).optional() })
const Change = z.object({
  cart: z.array(z.string()).optional(),
  visits: z.number().optional(),
  theme: z.string().optional(),
})

/** Sessions, and the controllers of an application that uses them. */
export function shopWith(options: SessionsOptions<unknown, unknown, User> = {}) {
  const web = sessions({ ...options, schema: Values })

  @Controller('shop')
  class ShopController {
    private readonly users = inject(web.manager)

    @Get('plain')
    plain() {
      return 'plain'
    }

    @Get('lost')
    async lost(req: Request) {
      await web.of(req)
      throw new NotFoundError()
    }

    @Get('cart')
    async cart(req: Request) {
      const { data, isLoggedIn, id } = await web.of(req)
      return { ...data, isLoggedIn, id }
    }

    @SetsSession()
    @Post('login')
    @Body(Login)
    async login(req: Req<{ body: typeof Login }>) {
      const session = await web.of(req)
      const begin = () => session.login(req.body)
      // Each account belongs to each tenant.
      const tenant = req.get('x-tenant-id')
      await (tenant === undefined ? begin() : runWithTenant(tenant, begin))
    }

    @Post('logout')
    async logout(req: Request) {
      await (await web.of(req)).logout()
    }

    @Post('set')
    @Body(Change)
    async set(req: Req<{ body: typeof Change }>) {
      const session = await web.of(req)
      await session.set(req.body)
      return session.data
    }

    @Post('unset')
    async unset(req: Request) {
      await (await web.of(req)).set({ theme: undefined })
    }

    @Post('both')
    async both(req: Request) {
      const session = await web.of(req)
      await Promise.all([session.set({ visits: 1 }), session.set({ cart: ['tea'] })])
    }

    @Post('visit')
    async visit(req: Request) {
      await (await web.of(req)).update(({ visits }) => ({ visits: visits + 1 }))
    }

    @Post('regenerate')
    async regenerate(req: Request) {
      await (await web.of(req)).regenerate()
    }

    @Get('visit')
    async visitByLink(req: Request) {
      await (await web.of(req)).set({ visits: 1 })
    }

    @Post('ignore')
    ignore() {
      return 'ignored'
    }

    @Delete('item')
    remove() {
      return 'removed'
    }

    @Auth()
    @Get('me')
    me(req: Req<{ auth: true }>) {
      return req.user
    }

    @Auth({ optional: true })
    @Get('maybe')
    maybe(req: Request) {
      return { user: req.user ?? null }
    }

    @Auth()
    @Post('pay')
    pay(req: Req<{ auth: true }>) {
      return { paidBy: req.user.id }
    }

    @Can('admin')
    @Get('admin')
    admin() {
      return 'secret'
    }

    @Auth()
    @Get('devices')
    devices(req: Req<{ auth: true }>) {
      return this.users.list(req.user.id)
    }

    @Auth()
    @Post('logout-others')
    async logoutOthers(req: Req<{ auth: true }>) {
      const { id } = await web.of(req)
      return { count: await this.users.revokeAll(req.user.id, { except: id }) }
    }

    @Auth()
    @Delete('devices/:id')
    async revoke(req: Req<{ auth: true }>) {
      return { isRevoked: await this.users.revoke(req.user.id, req.params['id'] as string) }
    }
  }

  const app: AppOptions = {
    controllers: [ShopController],
    auth: { guard: web, credentials: web.credentials ?? [] },
    plugins: [web],
  }
  return { web, options: app }
}

/** An application under test, with a store for its sessions. */
export async function startShop(
  options: SessionsOptions<unknown, unknown, User> & { readonly app?: AppOptions } = {},
): Promise<{ app: TestApp; browser: (cookie?: string) => Browser }> {
  const { app: more = {}, ...own } = options
  const shop = shopWith(own)
  const plugins = [...(more.plugins ?? []), ...(shop.options.plugins ?? [])]
  const app = await TestApp.create({ ...shop.options, ...more, plugins })
  onTestFinished(() => app.close())
  return { app, browser: (cookie) => new Browser(app, cookie) }
}

/** A response, with the cookie that it sets. */
export type Reply = Awaited<ReturnType<Browser['send']>>

/** Sends requests as a page of the application does in a browser, and keeps its cookies. */
export class Browser {
  readonly #app: TestApp
  /** The header `Cookie`; `undefined` without any. */
  cookie: string | undefined
  /** Headers of every request. */
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }

  constructor(app: TestApp, cookie?: string) {
    this.#app = app
    this.cookie = cookie
  }

  async send(method: 'get' | 'post' | 'delete' | 'head', path: string, body?: object) {
    const sent = this.#app.request()[method](`/shop/${path}`).set(this.headers)
    if (this.cookie !== undefined) sent.set('cookie', this.cookie)
    const reply = await (body === undefined ? sent : sent.send(body))
    const [line] = (reply.headers['set-cookie'] ?? []) as unknown as string[]
    if (line !== undefined) {
      const [pair = ''] = line.split(';')
      this.cookie = pair.endsWith('=') ? undefined : pair
    }
    const { status, headers } = reply
    return { status, headers, line, data: reply.body?.data, code: reply.body?.code as string }
  }

  get(path: string) {
    return this.send('get', path)
  }

  post(path: string, body: object = {}) {
    return this.send('post', path, body)
  }

  login(id = 7, roles?: string[]) {
    return this.post('login', { id, roles })
  }

  /** The id in the cookie. */
  get id(): string {
    return this.cookie?.split('=')[1] ?? ''
  }
}

/** A store that fails, or waits, where a test tells it to. */
export function failing(store: SessionStore, isDown: () => boolean): SessionStore {
  const names = ['read', 'create', 'write', 'touch', 'take', 'list', 'removeAll'] as const
  const fail = () => Promise.reject(new Error('connect ECONNREFUSED'))
  const members = names.map((name) => [
    name,
    // biome-ignore lint/suspicious/noExplicitAny: passes on the arguments of any of them
    (...args: any[]) => (isDown() ? fail() : (store[name] as (...all: any[]) => unknown)(...args)),
  ])
  const open: SessionStore['open'] = (context) => store.open?.(context)
  return { ...Object.fromEntries(members), open, isShared: true }
}
