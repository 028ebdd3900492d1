import {
  Auth,
  Controller,
  Deprecated,
  type DeprecatedOptions,
  Get,
  Post,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bootProblems } from '../../support.js'

@Controller('old')
class Old {
  @Deprecated({ since: '2023-01-01', successor: '/new/*path' })
  @Get('files/*path')
  file() {
    return {}
  }

  @Deprecated({ since: '2023-01-01', sunset: '2023-07-01', end: true })
  @Get('ended')
  ended() {}

  @Auth()
  @Deprecated({ since: '2023-01-01' })
  @Get('private')
  secret() {
    return {}
  }
}

const guard = {
  canActivate(req: Request) {
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id }
    return id !== undefined
  },
}

async function start() {
  const metrics = { guard: { canActivate: () => true } }
  const app = await TestApp.create({
    controllers: [Old],
    contract: 'off',
    auth: { guard },
    metrics,
  })
  onTestFinished(() => app.close())
  app.clock.set('2024-01-01')
  const callers = async () => {
    const { text } = await app.request().get('/metrics')
    const found = text.matchAll(/^http_deprecated_requests_total\{.*caller="(.*)"\} (\d+)$/gm)
    return Object.fromEntries([...found].map(([, caller, count]) => [caller, Number(count)]))
  }
  return { app, callers }
}

describe('the headers of a deprecated route', () => {
  it('keep the slashes of a path parameter, and encode its other characters', async () => {
    const { app } = await start()
    const { headers } = await app.request().get('/old/files/a%20b/c%3Fd').expect(200)
    expect(headers['link']).toContain('</new/a%20b/c%3Fd>; rel="successor-version"')
  })

  it('are added to a Link header of a middleware', async () => {
    const link = '</style.css>; rel="preload"'
    await using app = await TestApp.create({
      controllers: [Old],
      contract: 'off',
      auth: { guard },
      middlewares: [
        (_req, res, next) => {
          res.setHeader('Link', link)
          next()
        },
      ],
    })
    const { headers } = await app.request().get('/old/files/a').expect(200)
    expect(headers['link']).toMatch(/^<\/style\.css>; rel="preload", <\/new\/a>; rel="successor/)
  })
})

describe('the callers of a deprecated route', () => {
  it('are counted after its end', async () => {
    const { app, callers } = await start()
    await app.request().get('/old/ended').set('user-agent', 'late').expect(410)
    expect(await callers()).toEqual({ 'agent:late': 1 })
  })

  it('have the name `none` without a user agent, and at most 120 characters', async () => {
    const { app, callers } = await start()
    await app.fetch('/old/ended', { headers: { 'user-agent': 'a'.repeat(200) } })
    await app.request().get('/old/ended').unset('user-agent').expect(410)
    expect(await callers()).toEqual({ [`agent:${'a'.repeat(114)}`]: 1, 'agent:none': 1 })
  })

  it('are still counted by name after many other callers', async () => {
    const { app, callers } = await start()
    const call = (agent: string) => app.fetch('/old/ended', { headers: { 'user-agent': agent } })
    for (let i = 0; i < 101; i++) await call(`agent ${i}`)
    await call('agent 0')
    expect(await callers()).toMatchObject({ 'agent:agent 0': 2, 'other agents': 1 })
  })

  it('do not include callers that the guard refuses', async () => {
    const { app, callers } = await start()
    await app.request().get('/old/private').set('x-user', 's7').expect(200)
    await app.request().get('/old/private').expect(401)
    expect(await callers()).toEqual({ 'user:s7': 1 })
  })
})

it('an invalid successor is reported with the route and the decorator', async () => {
  class Wrong {
    @Deprecated({ since: '2023-01-01', successor: '/v2/:name' } as DeprecatedOptions)
    @Post(':id')
    write() {}
  }
  Controller('wrong')(Wrong as never, undefined as never)
  const [problem] = await bootProblems({ controllers: [Wrong] })
  expect(problem).toMatchObject({
    subject: 'Wrong.write @Deprecated()',
    cause: 'Its `successor` has the parameter name, which /wrong/:id does not have.',
  })
})
