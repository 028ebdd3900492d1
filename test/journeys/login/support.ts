import { Auth, Controller, Get, type Req } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { onTestFinished } from 'vitest'
import { CLIENT, LocalIssuer } from './issuer.js'
import { Issuer, LoginController, OidcEnv, web } from './oidc-login.js'

export const ORIGIN = 'https://shop.example'
export const PENDING = '__Host-login'
export const SESSION = '__Host-session'

@Auth()
@Controller('me')
class MeController {
  @Get()
  async me(req: Req<{ auth: true }>) {
    const { id } = await web.of(req)
    return { user: req.user.id, session: id }
  }
}

/** The application of the page, at a local issuer. Both stop after the test. */
export async function startShop(more: TestOptions = {}, secret: string = CLIENT.secret) {
  const issuer = await LocalIssuer.start(ORIGIN)
  const variables = {
    APP_ORIGIN: ORIGIN,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: secret,
  }
  const app = await TestApp.create({
    controllers: [LoginController, MeController],
    providers: [Issuer, OidcEnv.provider],
    auth: { guard: web },
    plugins: [web],
    cookies: { keys: ['a key of the tests with 32 characters or more'] },
    testOverrides: [{ token: OidcEnv, useValue: variables }],
    contract: 'throw',
    ...more,
  })
  onTestFinished(() => app.close())
  return { app, issuer, browser: () => new Browser(app, issuer) }
}

/** A browser, with its cookies of the application. */
export class Browser {
  readonly #app: TestApp
  readonly #issuer: LocalIssuer
  readonly cookies = new Map<string, string>()

  constructor(app: TestApp, issuer: LocalIssuer) {
    this.#app = app
    this.#issuer = issuer
  }

  /** Opens a page of the application, as a link of any site does. */
  get(path: string) {
    return this.#send('get', path, 'cross-site')
  }

  /** Sends a form of the application, or of a page of another site. */
  post(path: string, site = 'same-origin') {
    return this.#send('post', path, site)
  }

  /** Begins a login, and lets the issuer answer. Returns the path of the answer, which the browser would open now. */
  async answer(path = '/login'): Promise<string> {
    const { status, location } = await this.get(path)
    if (status !== 303) throw new Error(`The login begins with ${status}.`)
    const { origin, pathname, search } = await this.#issuer.visit(location)
    if (origin !== ORIGIN) throw new Error(`The issuer sends the browser to ${origin}.`)
    return pathname + search
  }

  /** Logs in. Returns the last response. */
  async login(path?: string) {
    return await this.get(await this.answer(path))
  }

  /** The user that the application knows; the status of the refusal without one. */
  async user(): Promise<unknown> {
    const { status, body } = await this.get('/me')
    return status === 200 ? body.data.user : status
  }

  async #send(method: 'get' | 'post', path: string, site: string) {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { host: 'shop.example', 'sec-fetch-site': site, ...(cookie && { cookie }) }
    const { status, headers: received, body } = await this.#app.request()[method](path).set(headers)
    const lines = (received['set-cookie'] ?? []) as unknown as string[]
    for (const line of lines) this.#keep(line)
    const location: string = received['location'] ?? ''
    return { status, headers: received, location, lines, body, code: body?.code as string }
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}
