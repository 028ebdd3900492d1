import {
  Controller,
  defineControllers,
  Get,
  type Middleware,
  type Request,
  type Response,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

/** More bytes than the kernel accepts in one write. */
const LONG = 20_000_000

@Controller()
class PagesController {
  @Get('appended')
  appended(_req: Request, res: Response) {
    res.appendHeader('x-frame-options', 'own')
    res.json({})
  }

  @Get('ended')
  ended(_req: Request, res: Response) {
    res.type('text/plain').send('x'.repeat(LONG))
    throw new Error('behind the end')
  }

  @Get('fails')
  fails(_req: Request, res: Response) {
    res.status(500).write('half')
    throw new Error('in the middle')
  }
}

const controllers = defineControllers(PagesController)

describe('a helmet header', () => {
  const apps = appsOfTest('off')

  it('is kept if a handler appends a value to it', async () => {
    const { port } = await apps.listening({ controllers, security: {} })
    const { headers } = await send(port, { path: '/appended' })
    expect(headers['x-frame-options']).toBe('SAMEORIGIN, own')
  })
})

describe('an error after the end of a response', () => {
  const apps = appsOfTest('off')

  it('does not shorten the response', async () => {
    const { port } = await apps.listening({ controllers })
    for (let i = 0; i < 3; i++) {
      const { status, body } = await send(port, { path: '/ended' })
      expect([status, body.length]).toEqual([200, LONG])
    }
  })
})

describe('an error in the middle of a response', () => {
  const apps = appsOfTest('off')

  it('is logged only once even if two error middlewares pass it on', async () => {
    const logged: object[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => void logged.push(facts) }
    const passOn: Middleware = (error, _req, _res, next) => next(error)
    const { port } = await apps.listening({ controllers, middlewares: [passOn, passOn], logger })
    await expect(send(port, { path: '/fails' })).rejects.toThrow()
    expect(logged).toMatchObject([{ err: { message: 'in the middle' } }])
  })
})
