import {
  BaseController,
  Controller,
  Envelope,
  type EnvelopeFormat,
  Get,
  Header,
  HttpCode,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it } from 'vitest'

const wrapped: number[] = []
const own: EnvelopeFormat = {
  success(data, { status }) {
    wrapped.push(status)
    return { data }
  },
  schema: (data) => ({ type: 'object', properties: { data } }),
}

@Controller('nothing')
class NothingController extends BaseController {
  @HttpCode(204) @Get('stated') stated() {
    return { dropped: true }
  }

  @Get('none') none() {}

  @Get('okay') okay(_req: Request, res: Response) {
    return this.ok(res, 'Done', { dropped: true }, 204)
  }

  @Envelope(own) @HttpCode(204) @Get('own') own() {
    return { dropped: true }
  }

  @Envelope(own) @Get('own-none') ownNone() {}

  @Envelope(own) @Get('own-okay') ownOkay(_req: Request, res: Response) {
    return this.ok(res, 'Done', { dropped: true }, 204)
  }

  @Envelope(false) @HttpCode(204) @Get('bare') bare() {
    return { dropped: true }
  }

  @Envelope(false) @Header('Content-Type', 'text/csv') @Get('text-none') textNone() {}

  @Envelope(false)
  @Header('Content-Type', 'text/csv')
  @HttpCode(204)
  @Get('text')
  text() {
    return 'dropped'
  }

  @HttpCode(200) @Get('stated-200') stated200() {}
}

describe('a response with the status 204', () => {
  beforeEach(() => {
    wrapped.length = 0
  })

  it.each(['stated', 'none', 'okay', 'own', 'own-none', 'own-okay', 'bare', 'text-none', 'text'])(
    'has no body and no envelope: %s',
    async (path) => {
      await using app = await TestApp.create({ controllers: [NothingController], contract: 'off' })
      const { status, text, headers } = await app.request().get(`/nothing/${path}`)
      expect([status, text]).toEqual([204, ''])
      expect(headers).not.toHaveProperty('content-length')
      expect(wrapped).toEqual([])
    },
  )

  it('is not sent if the route declares 200', async () => {
    await using app = await TestApp.create({ controllers: [NothingController], contract: 'off' })
    const { status, body } = await app.request().get('/nothing/stated-200')
    expect([status, body.statusCode]).toEqual([200, 'success'])
  })
})
