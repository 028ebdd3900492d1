import { BaseController, Controller, defineControllers, Get, type RequestHandler } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'

@Controller('answer')
class AnswerController extends BaseController {
  @Get()
  answer() {
    return { n: 1 }
  }
}

describe('res.json', () => {
  let app: TestApp
  const start = async (middleware: RequestHandler) => {
    const controllers = defineControllers(AnswerController)
    const security = { helmet: true }
    app = await TestApp.create({ controllers, security, middlewares: [middleware] })
    return app.request().get('/answer')
  }
  afterEach(() => app.close())

  it('sends the static headers when nobody touches a header', async () => {
    const { headers } = await start((_req, _res, next) => next())
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(Number(headers['content-length'])).toBeGreaterThan(0)
  })

  it('sends them beside headers that were set, and not those that were removed', async () => {
    const { headers } = await start((_req, res, next) => {
      res.setHeader('X-Own', 'yes')
      res.removeHeader('X-Frame-Options')
      next()
    })
    expect(headers['x-own']).toBe('yes')
    expect(headers['x-frame-options']).toBeUndefined()
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('calls a writeHead that a middleware has put on the response', async () => {
    const { headers } = await start((_req, res, next) => {
      const { writeHead } = res
      res.writeHead = (...args: unknown[]) => {
        res.setHeader('X-Late', String(res.getHeader('X-Frame-Options')))
        return writeHead.apply(res, args)
      }
      next()
    })
    expect(headers['x-late']).toBe('SAMEORIGIN')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })
})
