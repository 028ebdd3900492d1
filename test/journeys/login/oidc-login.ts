// oidc-login.ts
import {
  ApiResponseDoc,
  Clock,
  Controller,
  Cookies,
  env,
  Get,
  Header,
  HttpError,
  inject,
  Post,
  RateLimit,
  type Req,
  type Request,
  type Response,
  ServiceUnavailableError,
  secret,
} from 'blazon'
import { SetsSession, sessions } from 'blazon/sessions'
import * as oidc from 'openid-client'
import { z } from 'zod'

export const OidcEnv = env(
  z.object({
    APP_ORIGIN: z.url().describe('Where browsers find this application: https://shop.example'),
    OIDC_ISSUER: z.url(),
    OIDC_CLIENT_ID: z.string(),
    OIDC_CLIENT_SECRET: secret(z.string()),
  }),
)

/** In production, with a store. */
export const web = sessions({ schema: z.object({ idToken: z.string().optional() }) })

/** With this prefix, no subdomain can set the cookie: it would log a visitor in as somebody else. */
const COOKIE = '__Host-login'
const TEN_MINUTES = 600_000

/** A login that has begun in this browser. */
const Pending = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  until: z.number(),
})
const PendingCookie = z.object({ [COOKIE]: Pending.optional() })
const Begin = z.object({ returnTo: z.string().max(2000).optional() })

/** The identity provider. Its metadata is read with the first login, so it may be down when the application starts. */
export class Issuer {
  private readonly env = inject(OidcEnv)
  #config: Promise<oidc.Configuration> | undefined

  /** The URL of the login page, for a login whose answer comes to `redirectUri`. */
  async loginUrl({ state, nonce, verifier }: z.infer<typeof Pending>): Promise<URL> {
    return oidc.buildAuthorizationUrl(await this.#open(), {
      redirect_uri: this.#redirectUri.href,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
  }

  /** Checks the answer of the issuer, and exchanges its code for an id token. */
  async finish(answer: string, { state, nonce, verifier }: z.infer<typeof Pending>) {
    const url = this.#redirectUri
    // Never the host of the request, which its sender chooses.
    url.search = new URL(answer, url).search
    const config = await this.#open()
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
    try {
      const tokens = await oidc.authorizationCodeGrant(config, url, checks)
      const claims = tokens.claims()
      if (claims === undefined || tokens.id_token === undefined) throw loginFailed()
      return { subject: claims.sub, idToken: tokens.id_token }
    } catch (cause) {
      throw isOutage(cause) ? unavailable(cause) : loginFailed(cause)
    }
  }

  /** The URL that also logs out at the issuer. If the issuer has none, or is down: the URL of the start page. */
  async logoutUrl(idToken: string | undefined): Promise<string> {
    const home = new URL('/', this.env.APP_ORIGIN).href
    const config = await this.#open().catch(() => undefined)
    if (idToken === undefined || config?.serverMetadata().end_session_endpoint === undefined)
      return home
    const parameters = { id_token_hint: idToken, post_logout_redirect_uri: home }
    return oidc.buildEndSessionUrl(config, parameters).href
  }

  get #redirectUri(): URL {
    return new URL('/login/callback', this.env.APP_ORIGIN)
  }

  #open(): Promise<oidc.Configuration> {
    this.#config ??= this.#discover().catch((cause) => {
      this.#config = undefined
      throw unavailable(cause)
    })
    return this.#config
  }

  #discover(): Promise<oidc.Configuration> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = this.env
    const url = new URL(OIDC_ISSUER)
    // By default, the package trusts TLS to the issuer, and verifies no signature.
    const execute = [oidc.enableNonRepudiationChecks]
    // An issuer on this machine, in development.
    if (url.hostname === '127.0.0.1') execute.push(oidc.allowInsecureRequests)
    const options = { execute, timeout: 5 }
    return oidc.discovery(url, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, undefined, options)
  }
}

@Controller('login')
@RateLimit({ limit: 30, window: '1m' })
export class LoginController {
  private readonly env = inject(OidcEnv)
  private readonly issuer = inject(Issuer)
  private readonly clock = inject(Clock)

  @Get('', { query: Begin })
  @Header('Cache-Control', 'no-store')
  @ApiResponseDoc({ status: 303, description: 'To the login page of the issuer' })
  async begin({ query }: Req<{ query: typeof Begin }>, res: Response) {
    const pending = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      returnTo: this.ownUrl(query.returnTo),
      until: this.clock.now() + TEN_MINUTES,
    }
    const url = await this.issuer.loginUrl(pending)
    res.cookie(COOKIE, pending, { signed: true, path: '/', maxAge: TEN_MINUTES })
    res.redirect(303, url.href)
  }

  @SetsSession()
  @Get('callback')
  @Cookies(PendingCookie, { signed: [COOKIE] })
  @ApiResponseDoc({ status: 303, description: 'To the page that began the login' })
  @ApiResponseDoc({ status: 401, description: 'The login has failed. Begin again.' })
  async finish(req: Req<{ cookies: typeof PendingCookie }>, res: Response) {
    const pending = req.cookies[COOKIE]
    // Each login has one answer.
    res.clearCookie(COOKIE, { path: '/' })
    if (pending === undefined || this.clock.now() >= pending.until) throw loginFailed()
    const { subject, idToken } = await this.issuer.finish(req.originalUrl, pending)
    const session = await web.of(req)
    await session.login({ id: subject })
    await session.set({ idToken })
    res.redirect(303, pending.returnTo)
  }

  @SetsSession()
  @Post('logout')
  @ApiResponseDoc({
    status: 303,
    description: 'To the issuer, which ends its own session',
  })
  async logout(req: Request, res: Response) {
    const session = await web.of(req)
    const { idToken } = session.data
    await session.logout()
    res.redirect(303, await this.issuer.logoutUrl(idToken))
  }

  /** The URL of a page of this application; of its start page for any other text. */
  private ownUrl(path = '/'): string {
    const home = new URL('/', this.env.APP_ORIGIN).href
    // Read as browsers read it: in `/\evil.example` and `//evil.example`, they find a host.
    const url = URL.canParse(path, home) ? new URL(path, home).href : home
    return url.startsWith(home) ? url : home
  }
}

/** What `openid-client` says of an issuer that does not work. All else is an answer that must not log anybody in. */
const OUTAGES = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]

function isOutage(error: unknown): boolean {
  if (error instanceof oidc.AuthorizationResponseError)
    return ['server_error', 'temporarily_unavailable'].includes(error.error)
  // Anything but a wrong code is a mistake of the issuer, or of our registration there.
  if (error instanceof oidc.ResponseBodyError) return error.error !== 'invalid_grant'
  if (error instanceof oidc.WWWAuthenticateChallengeError) return true
  // `fetch` rejects with a TypeError.
  if (error instanceof TypeError) return true
  return error instanceof oidc.ClientError && OUTAGES.includes(error.code ?? '')
}

function loginFailed(cause?: unknown): HttpError {
  const message = 'The login has failed. Begin again.'
  return new HttpError(401, message, { code: 'LOGIN_FAILED', cause })
}

function unavailable(cause: unknown): HttpError {
  const options = { code: 'ISSUER_UNAVAILABLE', cause }
  return new ServiceUnavailableError('The identity provider does not work', options)
}
