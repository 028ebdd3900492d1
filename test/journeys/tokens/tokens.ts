// tokens.ts
import { createHash, createPublicKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import {
  Clock,
  Controller,
  HttpError,
  InjectionToken,
  inject,
  Post,
  RateLimit,
  type Req,
} from 'blazon'
import { jwt } from 'blazon/jwt'
import { Database } from 'blazon/postgres'
import { SignJWT } from 'jose'
import { z } from 'zod'

const ISSUER = 'https://shop.example.com'
const AUDIENCE = 'shop'
const ACCESS_SECONDS = 300
/** The name of the key, in the header of each token. */
const KEY_ID = 'one'

/** The text of a migration. `role` is the login of the application; with tenants, it is `app_all_tenants`. */
export const tokenTables = (role: string): string => `
  create table token_logins (
    id uuid primary key,
    account text not null
  );
  create index on token_logins (account);
  create table refresh_tokens (
    digest text primary key,
    login uuid not null references token_logins on delete cascade,
    is_used boolean not null default false,
    until timestamptz not null
  );
  create index on refresh_tokens (login);
  grant select, insert, update, delete on token_logins, refresh_tokens to ${role};`

/** The private key (Ed25519) with which this application signs. */
export const SigningKey = new InjectionToken<KeyObject>('SigningKey')

/** Lets requests with an access token in. */
export const tokenGuard = jwt({
  keys: ({ get }) => ({ pem: publicKeyOf(get(SigningKey)), kid: KEY_ID }),
  issuer: ISSUER,
  audience: AUDIENCE,
  type: 'at+jwt',
})

const Pair = z.object({ accessToken: z.string(), expiresIn: z.number(), refreshToken: z.string() })
export type Pair = z.infer<typeof Pair>

interface Login {
  readonly id: string
  readonly account: string
}

/** Issues access tokens, which are signed and short, and refresh tokens, which are random and stored. */
export class Tokens {
  private readonly db = inject(Database)
  private readonly clock = inject(Clock)
  private readonly key = inject(SigningKey)

  /** The tokens of a new login. Call it when the account is known. */
  issue(account: string): Promise<Pair> {
    const login = { id: randomUUID(), account }
    return this.db.transaction(async () => {
      await this.db.sql`insert into token_logins (id, account) values (${login.id}, ${account})`
      return await this.next(login)
    })
  }

  /** Exchanges a refresh token for a new pair. Returns `undefined` if it is not valid; its login ends then. */
  refresh(token: string): Promise<Pair | undefined> {
    const digest = digestOf(token)
    return this.db.transaction(async () => {
      // One request of a login after the other: none adds a token while another one ends the login.
      const [login] = await this.db.sql<Login>`
        select id, account from token_logins
        where id = (select login from refresh_tokens where digest = ${digest}) for update`
      if (login === undefined) return undefined
      const used = await this.db.query(
        `update refresh_tokens set is_used = true
          where digest = $1 and not is_used and until > now()`,
        [digest],
      )
      if (used.rowCount === 1) return await this.next(login)
      // Somebody has used it before: the client, or a thief. Nobody knows who asks now.
      await this.db.sql`delete from token_logins where id = ${login.id}`
      return undefined
    })
  }

  /** Ends the login of a refresh token. */
  async revoke(token: string): Promise<void> {
    await this.db.sql`delete from token_logins
      where id = (select login from refresh_tokens where digest = ${digestOf(token)})`
  }

  /** Ends all logins of an account: after a new password, or when it is closed. */
  async revokeAll(account: string): Promise<void> {
    await this.db.sql`delete from token_logins where account = ${account}`
  }

  private async next({ id, account }: Login): Promise<Pair> {
    const refreshToken = randomBytes(32).toString('base64url')
    await this.db.sql`insert into refresh_tokens (digest, login, until)
      values (${digestOf(refreshToken)}, ${id}, now() + interval '30 days')`
    return { accessToken: await this.sign(account), expiresIn: ACCESS_SECONDS, refreshToken }
  }

  private sign(account: string): Promise<string> {
    const now = Math.floor(this.clock.now() / 1000)
    return new SignJWT()
      .setProtectedHeader({ alg: 'EdDSA', kid: KEY_ID, typ: 'at+jwt' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(account)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + ACCESS_SECONDS)
      .sign(this.key)
  }
}

const Refresh = z.object({ refreshToken: z.string().max(100) })

@Controller('tokens')
@RateLimit({ limit: 30, window: '1m' })
export class TokensController {
  private readonly tokens = inject(Tokens)

  @Post('refresh', {
    body: Refresh,
    returns: Pair,
    errors: { 401: 'The token is not valid (any more): log in again' },
  })
  async refresh({ body }: Req<{ body: typeof Refresh }>) {
    const pair = await this.tokens.refresh(body.refreshToken)
    if (pair !== undefined) return pair
    throw new HttpError(401, 'The token is not valid any more', { code: 'REFRESH_INVALID' })
  }

  @Post('revoke', { body: Refresh })
  async revoke({ body }: Req<{ body: typeof Refresh }>) {
    await this.tokens.revoke(body.refreshToken)
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}
