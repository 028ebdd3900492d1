import {
  ApiResponseDoc,
  App,
  BaseController,
  Controller,
  Get,
  type Request as Req,
  type Response,
} from 'blazon'
import { expect, it, onTestFinished } from 'vitest'

it('this.ok() sends only the bytes of a view, on a route with a text media type', async () => {
  @Controller('/')
  class TextController extends BaseController {
    @Get()
    @ApiResponseDoc({ status: 200, contentType: 'text/plain' })
    read(_req: Req, res: Response) {
      return this.ok(res, 'Read', Buffer.from('xx text xx').subarray(3, 7))
    }
  }
  const app = await App.create({ controllers: [TextController], logger: false })
  onTestFinished(() => app.close())
  const response = await app.fetch(new Request('http://localhost/'))
  expect(await response.text()).toBe('text')
})
