import { Controller, Get, Header, HttpError, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { bootProblems } from '../../support.js'

const OTHER = { Vary: 'X-Error', 'Set-Cookie': 'own=1', Link: '</error>; rel="help"' }

@Controller('things')
class ThingsController {
  @Header('Vary', 'X-Version, X-Plan')
  @Header('Set-Cookie', 'seen=1; Path=/')
  @Header('Link', '</next>; rel="next"')
  @Header('Cache-Control', 'private')
  @Get('decorated')
  decorated() {
    return {}
  }

  @Header('Vary', 'X-Version')
  @Get('error')
  error() {
    throw new HttpError(409, 'Taken', { headers: OTHER })
  }

  @Header('Vary', 'X-Version')
  @Get('response')
  response() {
    return new globalThis.Response('text', { headers: OTHER })
  }

  @Header('Vary', '*')
  @Get('all')
  all() {
    return {}
  }
}

/** Sets each header before the route, as `cors`, a session and a middleware do. */
async function headersOf(path: string) {
  const app = await TestApp.create({
    controllers: [ThingsController],
    security: { cors: { origin: ['https://a.example'] } },
    middlewares: [
      (_req: Request, res: Response, next: () => void) => {
        res.cookie('theme', 'dark')
        res.append('Link', '</style.css>; rel="preload"')
        res.setHeader('Cache-Control', 'no-store')
        next()
      },
    ],
  })
  onTestFinished(() => app.close())
  const headers = { origin: 'https://a.example' }
  return (await app.fetch(`/things/${path}`, { headers })).headers
}

it('@Header adds values to Vary, Set-Cookie and Link, and replaces other headers', async () => {
  const headers = await headersOf('decorated')
  expect(headers.get('vary')).toBe('Origin, X-Version, X-Plan')
  expect(headers.getSetCookie()).toEqual([expect.stringContaining('theme=dark'), 'seen=1; Path=/'])
  expect(headers.get('link')).toBe('</style.css>; rel="preload", </next>; rel="next"')
  expect(headers.get('cache-control')).toBe('private')
})

it.each(['error', 'response'])(
  'the headers of the %s add values to Vary, Set-Cookie and Link',
  async (path) => {
    const headers = await headersOf(path)
    expect(headers.get('vary')).toBe('Origin, X-Version, X-Error')
    expect(headers.getSetCookie()).toEqual([expect.stringContaining('theme=dark'), 'own=1'])
    expect(headers.get('link')).toBe('</style.css>; rel="preload", </error>; rel="help"')
  },
)

it('@Header accepts * as the value of Vary', async () => {
  expect((await headersOf('all')).get('vary')).toBe('*')
})

it('@Header refuses a Vary value that is not a list of header names', async () => {
  @Controller('a')
  class WrongController {
    @Header('Vary', 'Accept Language')
    @Get()
    all() {}
  }
  const [problem] = await bootProblems({ controllers: [WrongController] })
  expect(problem).toMatchObject({ code: 'E_OPTION_INVALID', subject: 'WrongController.all' })
  expect(problem?.cause).toContain('@Header')
})
