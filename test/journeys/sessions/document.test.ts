import { ApiResponseDoc, Auth, Controller, Get, Post, type Request } from 'blazon'
import { SetsSession, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'

const web = sessions()

@Controller('session')
class SessionController {
  @SetsSession()
  @Post()
  async login(req: Request) {
    await (await web.of(req)).login({ id: 7 })
  }

  @SetsSession()
  @Get('callback')
  @ApiResponseDoc({ status: 303, description: 'To the page', raw: true })
  @ApiResponseDoc({ status: 503, description: 'The issuer cannot be reached' })
  callback() {
    return 'done'
  }

  @Post('plain')
  plain() {
    return 'plain'
  }
}

interface Operations {
  readonly [path: string]: {
    readonly [method: string]: {
      readonly responses: Readonly<Record<string, { readonly headers?: Record<string, unknown> }>>
    }
  }
}

const HEADER = { description: 'The session cookie.', schema: { type: 'string' } }

/** The statuses of the responses of an operation that have the header `Set-Cookie`. */
function statusesWithCookie(app: TestApp, method: string, path: string): string[] {
  const { paths } = app.document as unknown as { paths: Operations }
  const responses = paths[path]?.[method]?.responses ?? {}
  return Object.keys(responses).filter((status) => {
    const { 'Set-Cookie': header } = responses[status]?.headers ?? {}
    if (header !== undefined) expect(header).toEqual(HEADER)
    return header !== undefined
  })
}

it('an operation that may change state has the response of a refused origin', async () => {
  const app = await TestApp.create({ controllers: [SessionController], plugins: [web] })
  onTestFinished(() => app.close())
  const { paths } = app.document as unknown as { paths: Operations }
  const statuses = (path: string, method: string) =>
    Object.keys(paths[path]?.[method]?.responses ?? {})
  expect(statuses('/session', 'post')).toContain('403')
  expect(statuses('/session/plain', 'post')).toContain('403')
  expect(statuses('/session/callback', 'get')).not.toContain('403')
})

it('the document and the challenge name the cookie with its prefix', async () => {
  const guard = sessions({ cookie: { name: 'sid' } })
  @Auth()
  @Controller('me')
  class MeController {
    @Get() me() {}
  }
  const app = await TestApp.create({
    controllers: [MeController],
    auth: { guard },
    plugins: [guard],
  })
  onTestFinished(() => app.close())
  expect(Object.values(app.document.components.securitySchemes ?? {})).toEqual([
    { type: 'apiKey', in: 'cookie', name: '__Host-sid' },
  ])
  const { status, headers } = await app.request().get('/me')
  expect([status, headers['www-authenticate']]).toEqual([401, 'Cookie name="__Host-sid"'])
  expect(guard.credentials).toEqual(['cookie:__Host-sid', 'cookie:sid'])
})

it('@SetsSession adds Set-Cookie only to the responses of its route that are not errors', async () => {
  const app = await TestApp.create({
    controllers: [SessionController],
    plugins: [web],
    contract: 'throw',
  })
  onTestFinished(() => app.close())
  expect(statusesWithCookie(app, 'post', '/session')).toEqual(['2XX'])
  expect(statusesWithCookie(app, 'get', '/session/callback')).toEqual(['303'])
  expect(statusesWithCookie(app, 'post', '/session/plain')).toEqual([])
  const { status, headers } = await app.request().post('/session')
  expect([status, headers['set-cookie']?.[0]]).toEqual([204, expect.stringMatching(/^session=/)])
})
