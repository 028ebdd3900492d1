import { generateKeyPairSync } from 'node:crypto'
import { Auth, Controller, Get, type Request } from 'blazon'
import { postgres } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  describeWithServer,
  ownServerDatabase,
  type ServerDatabase,
} from '../../integrations/postgres/own-database.js'
import {
  type Pair,
  SigningKey,
  Tokens,
  TokensController,
  tokenGuard,
  tokenTables,
} from './tokens.js'

@Auth()
@Controller('profile')
class ProfileController {
  @Get()
  read(req: Request) {
    return { id: req.user?.id }
  }
}

describeWithServer('the code in docs/tokens.md', () => {
  let database: ServerDatabase
  let login: string
  beforeAll(async () => {
    database = await ownServerDatabase()
    login = await database.role('shop', 'login noinherit')
    await database.run(tokenTables(login))
    return () => database[Symbol.asyncDispose]()
  })

  async function start() {
    const app = await TestApp.create({
      controllers: [TokensController, ProfileController],
      providers: [
        Tokens,
        { token: SigningKey, useValue: generateKeyPairSync('ed25519').privateKey },
      ],
      auth: { guard: tokenGuard },
      plugins: [postgres({ url: database.urlOf(login) })],
      contract: 'throw',
    })
    onTestFinished(async () => {
      await app.close()
      await database.run('truncate token_logins cascade')
    })
    const send = async (path: string, { refreshToken }: Pick<Pair, 'refreshToken'>) => {
      const { status, body } = await app.request().post(`/tokens/${path}`).send({ refreshToken })
      return { status, code: body.code, pair: body.data as Pair }
    }
    const read = ({ accessToken }: Pair) => {
      const authorization = `Bearer ${accessToken}`
      return app.with({ authorization }).request().get('/profile')
    }
    return { app, tokens: app.get(Tokens), send, read }
  }
  const INVALID = { status: 401, code: 'REFRESH_INVALID' }

  it('issues an access token that the guard accepts for five minutes', async () => {
    const { app, tokens, read } = await start()
    const pair = await tokens.issue('ada')
    expect((await read(pair).expect(200)).body.data).toEqual({ id: 'ada' })
    await app.clock.advance('4m')
    await read(pair).expect(200)
    await app.clock.advance('2m')
    await read(pair).expect(401)
  })

  it('exchanges each refresh token for a new pair of tokens', async () => {
    const { tokens, send, read } = await start()
    let pair = await tokens.issue('ada')
    const seen = new Set([pair.refreshToken])
    for (let time = 0; time < 3; time++) {
      const { status, pair: next } = await send('refresh', pair)
      expect([status, next.expiresIn]).toEqual([200, 300])
      await read(next).expect(200)
      seen.add(next.refreshToken)
      pair = next
    }
    expect(seen.size).toBe(4)
  })

  it('ends a login if one of its tokens is used twice, but no other login', async () => {
    const { tokens, send } = await start()
    const [first, other] = [await tokens.issue('ada'), await tokens.issue('ada')]
    const { pair: second } = await send('refresh', first)
    expect(await send('refresh', first)).toMatchObject(INVALID)
    expect(await send('refresh', second)).toMatchObject(INVALID)
    expect((await send('refresh', other)).status).toBe(200)
  })

  it('accepts only one of several concurrent requests with the same token, and ends the login', async () => {
    const { tokens, send } = await start()
    const pair = await tokens.issue('ada')
    const replies = await Promise.all(Array.from({ length: 5 }, () => send('refresh', pair)))
    const winners = replies.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    expect(await send('refresh', winners[0]?.pair as Pair)).toMatchObject(INVALID)
  })

  it('deletes all tokens of a login if a token is used again while the next token is exchanged', async () => {
    const { tokens, send } = await start()
    for (let round = 0; round < 5; round++) {
      const first = await tokens.issue('ada')
      const { pair: second } = await send('refresh', first)
      const [thief] = await Promise.all([send('refresh', first), send('refresh', second)])
      expect(thief).toMatchObject(INVALID)
      expect(await database.run('select from refresh_tokens')).toEqual([])
    }
  })

  it('refuses expired and unknown tokens, and the stored digest of a token', async () => {
    const { tokens, send } = await start()
    const pair = await tokens.issue('ada')
    const [row] = await database.run('select digest from refresh_tokens')
    expect(await send('refresh', { refreshToken: String(row?.['digest']) })).toMatchObject(INVALID)
    expect(await send('refresh', { refreshToken: 'made up' })).toMatchObject(INVALID)
    await database.run("update refresh_tokens set until = now() - interval '1 second'")
    expect(await send('refresh', pair)).toMatchObject(INVALID)
  })

  it('can end one login or all logins of an account', async () => {
    const { tokens, send } = await start()
    const [one, two, three] = [
      await tokens.issue('ada'),
      await tokens.issue('ada'),
      await tokens.issue('eve'),
    ]
    expect((await send('revoke', one)).status).toBe(204)
    expect((await send('revoke', { refreshToken: 'made up' })).status).toBe(204)
    expect(await send('refresh', one)).toMatchObject(INVALID)
    expect((await send('refresh', two)).status).toBe(200)
    await tokens.revokeAll('ada')
    expect(await database.run('select account from token_logins')).toEqual([{ account: 'eve' }])
    expect((await send('refresh', three)).status).toBe(200)
  })
})
