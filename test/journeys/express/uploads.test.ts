import { request } from 'node:http'
import {
  type AppOptions,
  Body,
  Controller,
  defineControllers,
  PayloadTooLargeError,
  Post,
  type Request,
} from 'blazon'
import multer, { MulterError } from 'multer'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from './support.js'

const Upload = z.object({ title: z.string().min(3), pages: z.coerce.number().int() })

@Controller('uploads')
class UploadsController {
  @Post()
  upload(req: Request) {
    const files = (req.files as Express.Multer.File[]).map(
      ({ fieldname, originalname, mimetype, size, buffer }) => ({
        fieldname,
        originalname,
        mimetype,
        size,
        text: buffer.toString(),
      }),
    )
    return { files, fields: { ...req.body } }
  }

  @Post('described')
  @Body(Upload)
  described(req: Request<unknown, z.infer<typeof Upload>>) {
    return { fields: req.body, count: (req.files as unknown[] | undefined)?.length ?? 0 }
  }
}

const controllers = defineControllers(UploadsController)

describe('the multer package', () => {
  const apps = appsOfTest()
  const start = (limits: multer.Options['limits'] = {}, more: AppOptions['middlewares'] = []) =>
    apps.inProcess({
      controllers,
      middlewares: [multer({ storage: multer.memoryStorage(), limits }).any(), ...more],
    })

  it('passes files and fields to the handler', async () => {
    const app = await start()
    const { status, body } = await app
      .request()
      .post('/uploads')
      .field('title', 'Über')
      .field('tags[]', 'a')
      .field('tags[]', 'b')
      .attach('cover', Buffer.from('image'), { filename: 'a.png', contentType: 'image/png' })
      .attach('text', Buffer.from('x'.repeat(200_000)), 'b.txt')
    expect(status).toBe(200)
    expect(body.data.fields).toEqual({ title: 'Über', tags: ['a', 'b'] })
    expect(body.data.files).toMatchObject([
      { fieldname: 'cover', originalname: 'a.png', mimetype: 'image/png', text: 'image' },
      { fieldname: 'text', originalname: 'b.txt', mimetype: 'text/plain', size: 200_000 },
    ])
  })

  it('passes the fields to @Body, which validates and coerces them', async () => {
    const app = await start()
    const { status, body } = await app
      .request()
      .post('/uploads/described')
      .field('title', 'Book')
      .field('pages', '12')
      .attach('cover', Buffer.from('image'), 'a.png')
    expect(status).toBe(200)
    expect(body.data).toEqual({ fields: { title: 'Book', pages: 12 }, count: 1 })
  })

  it('reports all invalid fields in one response', async () => {
    const app = await start()
    const { status, body } = await app
      .request()
      .post('/uploads/described')
      .field('title', 'B')
      .field('pages', 'many')
    expect(status).toBe(400)
    expect(body.code).toBe('VALIDATION_FAILED')
    expect(body.errors).toMatchObject([
      { in: 'body', path: 'title' },
      { in: 'body', path: 'pages' },
    ])
  })

  it('does not affect JSON bodies', async () => {
    const app = await start()
    const fields = { title: 'Book', pages: 1 }
    const { status, body } = await app.request().post('/uploads/described').send(fields)
    expect(status).toBe(200)
    expect(body.data).toEqual({ fields, count: 0 })
  })

  it('passes the error LIMIT_FILE_SIZE to an error middleware', async () => {
    const app = await start({ fileSize: 10 }, [
      (error, _req, _res, next) => {
        if (!(error instanceof MulterError)) return next(error)
        const { code, field, message } = error
        next(
          new PayloadTooLargeError(message, {
            code,
            errors: [{ in: 'body', path: field ?? '', message }],
          }),
        )
      },
    ] as AppOptions['middlewares'])
    const { status, body } = await app
      .request()
      .post('/uploads')
      .attach('cover', Buffer.from('more than ten bytes'), 'a.png')
    expect(status).toBe(413)
    expect(body).toMatchObject({
      statusCode: 'error',
      code: 'LIMIT_FILE_SIZE',
      errors: [{ in: 'body', path: 'cover' }],
    })
  })

  it('results in a 500 response if no error middleware handles its MulterError', async () => {
    const app = await start({ fileSize: 10 })
    const { status, body } = await app
      .request()
      .post('/uploads')
      .attach('cover', Buffer.from('more than ten bytes'), 'a.png')
    expect(status).toBe(500)
    expect(body.message).toBe('Internal Server Error')
  })

  it('continues to work after a client disconnects during an upload', async () => {
    const failed: unknown[] = []
    const { port } = await apps.listening({
      controllers,
      middlewares: [
        multer().any(),
        (error: Error, _req: Request, _res: unknown, next: (error: Error) => void) => {
          failed.push(error.message)
          next(error)
        },
      ],
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const req = request({ host: '127.0.0.1', port, method: 'POST', path: '/uploads', headers })
    req.on('error', () => {})
    req.write(
      '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhalf a fi',
      () => {
        req.destroy()
      },
    )
    await expect.poll(() => failed).toEqual(['Request aborted'])
    const body = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'
    const next = await send(port, { method: 'POST', path: '/uploads', headers, body })
    expect(JSON.parse(next.text).data).toEqual({ files: [], fields: { a: '1' } })
  })
})
