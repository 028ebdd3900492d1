import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'

export const CLIENT = { id: 'shop', secret: 'a secret of the shop' }

/** A code that was given out, and what it was given for. */
interface Grant {
  readonly challenge: string
  readonly nonce: string | null
  readonly redirectUri: string
  readonly subject: string
  isUsed: boolean
}

/** What a test changes of the issuer. */
interface Moods {
  /** Answers every request in place of the issuer; `'cut'` closes the connection. */
  answer: 'cut' | { readonly status: number; readonly body: string } | null
  /** Claims that replace those of id tokens; `undefined` removes one. */
  claims: Record<string, unknown>
  /** Parameters that replace those of the answer to a browser; `undefined` removes one. */
  parameters: Record<string, string | undefined>
  /** Signs id tokens in place of the published key. */
  forgedKey: CryptoKey | null
  hasLogout: boolean
}

/** An OpenID provider on this machine: authorization code with PKCE (RFC 7636), `iss` (RFC 9207) and logout. */
export class LocalIssuer {
  /** Who is logged in at the issuer, in every browser. */
  subject = 'ada'
  readonly mood: Moods = {
    answer: null,
    claims: {},
    parameters: {},
    forgedKey: null,
    hasLogout: true,
  }
  /** The paths of all requests so far. */
  readonly requests: string[] = []
  readonly url: string
  readonly #redirectUri: string
  readonly #home: string
  readonly #keys: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }
  readonly #grants = new Map<string, Grant>()

  private constructor(url: string, origin: string, keys: LocalIssuer['keys']) {
    this.url = url
    this.#redirectUri = `${origin}/login/callback`
    this.#home = `${origin}/`
    this.#keys = keys
  }

  /** Starts an issuer that knows the client of an application. It stops after the test. */
  static async start(origin: string): Promise<LocalIssuer> {
    const keys = await generateKeyPair('ES256')
    const server = createServer((req, res) => {
      issuer.#handle(req, res).catch((error) => res.writeHead(500).end(String(error)))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const issuer = new LocalIssuer(`http://127.0.0.1:${port}`, origin, keys)
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return issuer
  }

  get keys() {
    return this.#keys
  }

  /** Follows a redirect to the issuer, as a browser does. Returns where the issuer sends the browser. */
  async visit(url: string): Promise<URL> {
    const response = await fetch(url, { redirect: 'manual' })
    const location = response.headers.get('location')
    if (location !== null) return new URL(location)
    throw new Error(`The issuer answers with ${response.status}: ${await response.text()}`)
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '', this.url)
    this.requests.push(url.pathname)
    const { answer } = this.mood
    if (answer === 'cut') return void req.socket.destroy()
    if (answer !== null)
      return void res
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(answer.body)
    switch (`${req.method} ${url.pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return send(res, 200, this.#metadata())
      case 'GET /keys': {
        const jwk = await exportJWK(this.#keys.publicKey)
        return send(res, 200, { keys: [{ ...jwk, kid: 'k1', alg: 'ES256', use: 'sig' }] })
      }
      case 'GET /authorize':
        return this.#authorize(url.searchParams, res)
      case 'POST /token':
        return this.#exchange(new URLSearchParams(await textOf(req)), res)
      case 'GET /logout':
        return this.#logout(url.searchParams, res)
      default:
        return send(res, 404, {})
    }
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      ...(this.mood.hasLogout ? { end_session_endpoint: `${this.url}/logout` } : {}),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  /** Asks nobody for a password: the user is logged in here. */
  #authorize(query: URLSearchParams, res: ServerResponse): void {
    const wrong = Object.entries({
      client_id: query.get('client_id') === CLIENT.id,
      redirect_uri: query.get('redirect_uri') === this.#redirectUri,
      response_type: query.get('response_type') === 'code',
      scope: (query.get('scope') ?? '').split(' ').includes('openid'),
      state: (query.get('state') ?? '').length >= 22,
      code_challenge: /^[\w-]{43}$/.test(query.get('code_challenge') ?? ''),
      code_challenge_method: query.get('code_challenge_method') === 'S256',
    }).flatMap(([name, isRight]) => (isRight ? [] : [name]))
    if (wrong.length > 0) return send(res, 400, { error: 'invalid_request', wrong })
    const code = randomUUID()
    this.#grants.set(code, {
      challenge: query.get('code_challenge') as string,
      nonce: query.get('nonce'),
      redirectUri: this.#redirectUri,
      subject: this.subject,
      isUsed: false,
    })
    const answer = new URL(this.#redirectUri)
    const all = { code, state: query.get('state') as string, iss: this.url }
    for (const [name, value] of Object.entries({ ...all, ...this.mood.parameters }))
      if (value !== undefined) answer.searchParams.set(name, value)
    res.writeHead(303, { location: answer.href }).end()
  }

  async #exchange(form: URLSearchParams, res: ServerResponse): Promise<void> {
    const isClient = form.get('client_id') === CLIENT.id && isSecret(form.get('client_secret'))
    if (!isClient) return send(res, 401, { error: 'invalid_client' })
    const grant = this.#grants.get(form.get('code') ?? '')
    const isRight =
      grant !== undefined &&
      !grant.isUsed &&
      form.get('grant_type') === 'authorization_code' &&
      form.get('redirect_uri') === grant.redirectUri &&
      s256(form.get('code_verifier') ?? '') === grant.challenge
    if (!isRight) return send(res, 400, { error: 'invalid_grant' })
    grant.isUsed = true
    const id_token = await this.#sign(grant)
    send(res, 200, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token })
  }

  #sign({ nonce, subject }: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: this.url, aud: CLIENT.id, sub: subject, nonce, iat: now, exp: now + 60 }
    return new SignJWT({ ...all, ...this.mood.claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(this.mood.forgedKey ?? this.#keys.privateKey)
  }

  async #logout(query: URLSearchParams, res: ServerResponse): Promise<void> {
    const hint = query.get('id_token_hint') ?? ''
    await jwtVerify(hint, this.#keys.publicKey, { issuer: this.url, audience: CLIENT.id })
    const to = query.get('post_logout_redirect_uri')
    if (to !== this.#home) return send(res, 400, { error: 'invalid_request' })
    this.subject = ''
    res.writeHead(303, { location: to }).end()
  }
}

function send(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

function isSecret(given: string | null): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(CLIENT.secret)]
  return one.length === other.length && timingSafeEqual(one, other)
}
