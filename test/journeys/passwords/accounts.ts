// accounts.ts
import { createHash, randomBytes } from 'node:crypto'
import { Controller, HttpError, inject, Post, RateLimit, type Req } from 'blazon'
import { Database, postgresSessions, sessionTable } from 'blazon/postgres'
import { SetsSession, sessions } from 'blazon/sessions'
import { z } from 'zod'
import { PasswordHashes } from './password-hashes.js'

/**
 * The text of a migration.
 *
 * @param role The role that has the tables: with tenants `app_all_tenants`, without them the login of the application.
 */
export const accountTables = (role: string): string => `
  create table accounts (
    id bigint generated always as identity primary key,
    email text not null unique,
    password text not null
  );
  create table password_links (
    digest text primary key,
    email text not null,
    until timestamptz not null
  );
  create index on password_links (email);
  create table login_attempts (
    email text primary key,
    count integer not null default 1,
    since timestamptz not null default now()
  );
  grant select, insert, update, delete on accounts, password_links, login_attempts to ${role};
  ${sessionTable({ role })}`

export const web = sessions({ store: postgresSessions() })

/** Sends links by e-mail, from a queue: the time of a response must not depend on a mail server. */
export abstract class LinkMails {
  abstract add(link: { readonly to: string; readonly token: string }): void | Promise<void>
}

const email = z
  .email()
  .max(200)
  .transform((text) => text.toLowerCase())
const password = z.string().min(12).max(200)
const Credentials = z.object({ email, password: z.string().max(200) })
const Forgotten = z.object({ email })
const NewPassword = z.object({ token: z.string().max(100), password })

const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url')

@Controller('account')
@RateLimit({ limit: 10, window: '1m' })
export class AccountController {
  protected readonly db = inject(Database)
  private readonly hashes = inject(PasswordHashes)
  private readonly mails = inject(LinkMails)
  private readonly manager = inject(web.manager)

  /** Sends the owner of an e-mail address a link to set a password, with or without an account. */
  @Post('link', { body: Forgotten })
  async sendLink({ body: { email } }: Req<{ body: typeof Forgotten }>) {
    const token = randomBytes(32).toString('base64url')
    const { rowCount } = await this.withAccounts(() =>
      this.db.query(
        `insert into password_links (digest, email, until)
          select $1, $2, now() + interval '30 minutes'
          where (select count(*) from password_links where email = $2 and until > now()) < 3`,
        [digestOf(token), email],
      ),
    )
    if (rowCount === 1) await this.mails.add({ to: email, token })
  }

  /** Sets the password of the owner of a link: of a new account, or of an old one. */
  @Post('password', { body: NewPassword, errors: { 400: 'The link is not valid (any more)' } })
  async setPassword({ body }: Req<{ body: typeof NewPassword }>) {
    const digest = digestOf(body.token)
    // Only the owner of a link may cause the work of a hash. The transaction below decides about the link.
    const open = await this.withAccounts(
      () => this.db.sql`
        select from password_links where digest = ${digest} and until > now()`,
    )
    if (open.length === 0) throw linkInvalid()
    // Before the transaction: a request that waits for its turn holds no connection.
    const hash = await this.hashes.hash(body.password)
    await this.withAccounts(async () => {
      const [link] = await this.db.sql<{ email: string }>`
        delete from password_links where digest = ${digest} and until > now() returning email`
      if (link === undefined) throw linkInvalid()
      const [account] = await this.db.sql<{ id: string }>`
        insert into accounts (email, password) values (${link.email}, ${hash})
        on conflict (email) do update set password = excluded.password returning id::text`
      await this.db.sql`delete from password_links where email = ${link.email}`
      await this.db.sql`delete from login_attempts where email = ${link.email}`
      if (account !== undefined) await this.manager.revokeAll(account.id)
    })
  }

  @SetsSession()
  @Post('login', { body: Credentials, errors: { 401: 'The e-mail or the password is wrong' } })
  async login(req: Req<{ body: typeof Credentials }>) {
    const { email, password } = req.body
    await this.countAttempt(email)
    const [account] = await this.withAccounts(
      () => this.db.sql<{ id: string; password: string }>`
        select id::text, password from accounts where email = ${email}`,
    )
    const result = await this.hashes.check(password, account?.password)
    if (account === undefined || result === 'wrong') throw loginFailed()
    const hash = result === 'old' ? await this.hashes.hash(password) : account.password
    const session = await web.of(req)
    await this.withAccounts(async () => {
      // Before this statement, a reset may have changed the password. A later reset waits for this row, and ends this login, too.
      const { rowCount } = await this.db.query(
        'update accounts set password = $1 where id = $2 and password = $3',
        [hash, account.id, account.password],
      )
      if (rowCount === 0) throw loginFailed()
      await this.db.sql`delete from login_attempts where email = ${email}`
      await session.login({ id: account.id })
    })
  }

  /** One transaction with the right to the tables. With tenants: `this.db.withoutTenant('accounts', work)`. */
  protected withAccounts<T>(work: () => Promise<T>): Promise<T> {
    return this.db.transaction(work)
  }

  /** Allows ten attempts in 15 minutes for each e-mail address, with or without an account. */
  private async countAttempt(email: string): Promise<void> {
    // Not in a transaction with the login: the count stays when the login fails.
    const [row] = await this.withAccounts(
      () => this.db.sql<{ count: number; wait: number }>`
        insert into login_attempts as old (email) values (${email})
        on conflict (email) do update set
          count = case when old.since < now() - interval '15 minutes' then 1 else old.count + 1 end,
          since = case when old.since < now() - interval '15 minutes' then now() else old.since end
        returning count, 900 - floor(extract(epoch from now() - since))::integer as wait`,
    )
    if (row === undefined || row.count <= 10) return
    const headers = { 'Retry-After': String(row.wait) }
    throw new HttpError(429, 'Too many attempts', { code: 'TOO_MANY_ATTEMPTS', headers })
  }
}

function linkInvalid(): HttpError {
  return new HttpError(400, 'The link is not valid any more', { code: 'LINK_INVALID' })
}

function loginFailed(): HttpError {
  return new HttpError(401, 'The e-mail or the password is wrong', { code: 'LOGIN_FAILED' })
}
