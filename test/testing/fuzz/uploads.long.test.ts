import { execFileSync } from 'node:child_process'
import {
  ApiBody,
  type AppOptions,
  type Class,
  Controller,
  file,
  HttpError,
  Post,
  type Req,
  type Request,
  type Response,
  Upload,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const CODES = [
  '400 VALIDATION_FAILED',
  '400 MALFORMED_BODY',
  '413 PAYLOAD_TOO_LARGE',
  '415 UNSUPPORTED_MEDIA_TYPE',
]
const TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/plain',
]

const Form = {
  title: z.string().min(1).max(40),
  copies: z.coerce.number().int().min(1).max(9).optional(),
  tags: z.array(z.string()).max(3).optional(),
  scan: file({ maxSize: '20kb', types: TYPES }),
  images: file({ maxSize: 500, types: ['image/*'], max: 2, optional: true }),
  other: file({ optional: true }),
}

@Controller('forms')
class FormsController {
  @Post()
  @Upload(Form)
  async create({ body }: Req<{ upload: typeof Form }>) {
    const files = [body.scan, ...body.images, ...(body.other ? [body.other] : [])]
    const sizes = await Promise.all(files.map(async (each) => (await each.bytes()).length))
    return { title: body.title, types: files.map(({ type }) => type), sizes }
  }
}

/** What the application has received, and how it responded. */
async function fuzz(controller: Class, options: Partial<AppOptions> = {}, seed = 7) {
  const seen: { status: number; code: unknown; types: readonly string[] }[] = []
  const record = (_req: Request, res: Response, next: () => void) => {
    const chunks: string[] = []
    for (const name of ['write', 'end'] as const) {
      const own = res[name] as (...sent: unknown[]) => never
      res[name] = (...sent: unknown[]) => {
        if (typeof sent[0] === 'string' || Buffer.isBuffer(sent[0])) chunks.push(String(sent[0]))
        return own.apply(res, sent)
      }
    }
    res.once('finish', () => {
      const { code, data } = JSON.parse(chunks.join(''))
      seen.push({ status: res.statusCode, code, types: data?.types ?? [] })
    })
    next()
  }
  await using app = await TestApp.create({
    controllers: [controller],
    middlewares: [record],
    contract: 'throw',
    logger: false,
    ...options,
  })
  const report = await app.fuzz({ seed, runs: 400 })
  expect(app.contractReport()).toEqual([])
  return { report, seen }
}

it.each(['3.0', '3.1', '3.2'] as const)(
  'fuzz() sends valid and invalid forms with files for a document of OpenAPI %s',
  async (openapi) => {
    const swagger = { title: 'Forms', openapi }
    const { report, seen } = await fuzz(FormsController, { swagger })
    expect(report).toMatchObject({ operations: 1, skipped: [], refused: [] })
    const taken = seen.filter(({ status }) => status === 200)
    expect(taken.length).toBeGreaterThan(100)
    expect([...new Set(taken.flatMap(({ types }) => types))]).toEqual(
      expect.arrayContaining([...TYPES, 'application/octet-stream']),
    )
    const codes = new Set(seen.map(({ status, code }) => `${status} ${code}`))
    expect([...codes]).toEqual(expect.arrayContaining(CODES))
  },
)

it('fuzz() sends the same forms for the same seed', async () => {
  const [first, second] = await Promise.all([fuzz(FormsController), fuzz(FormsController)])
  expect(second.seen).toEqual(first.seen)
})

it('fuzz() sends forms without a file if @Upload has none', async () => {
  const Fields = { title: z.string().min(1) }
  @Controller('fields')
  class FieldsController {
    @Post()
    @Upload(Fields)
    create({ body }: Req<{ upload: typeof Fields }>) {
      return body
    }
  }
  const { report } = await fuzz(FieldsController)
  expect(report).toMatchObject({ operations: 1, skipped: [], refused: [] })
})

const Scan = { scan: file({ types: ['image/webp'], maxSize: '5kb' }) }

it('fuzz() prints a failing form as a command and as test code, both with exactly its bytes', async () => {
  let received: Buffer = Buffer.alloc(0)
  @Controller('broken')
  class Broken {
    @Post()
    @Upload(Scan)
    async create({ body }: Req<{ upload: typeof Scan }>) {
      received = await body.scan.bytes()
      throw new TypeError('planted')
    }
  }
  const failing = fuzz(Broken)
  await expect(failing).rejects.toThrow('expected: no server error')
  const message = await failing.then(() => '', String)
  const command = message.slice(message.indexOf('{ printf'), message.indexOf(' | curl'))
  const written = execFileSync('bash', ['-c', command])
  expect(received.subarray(0, 4).toString()).toBe('RIFF')
  expect(written.includes(received)).toBe(true)
  expect(message).toContain('--data-binary @-')
  const [, code = ''] = /body: (Buffer\.from\(.*\)),\n/.exec(message) ?? []
  const evaluate = new Function('Buffer', `return ${code}`)
  expect(evaluate(Buffer)).toEqual(written)
})

it('fuzz() abbreviates a file that is too large', async () => {
  @Controller('loose')
  class Loose {
    @Post()
    @Upload(Scan)
    create() {
      return {}
    }
  }
  // A middleware that does not obey the document.
  const take = (req: Request, res: Response, next: () => void) => {
    if (Number(req.get('content-length')) < 5_000) return next()
    req.resume().once('end', () => res.status(200).json({ statusCode: 'success', message: 'OK' }))
  }
  await using app = await TestApp.create({
    controllers: [Loose],
    middlewares: [take],
    contract: 'off',
    logger: false,
  })
  const large = await app.fuzz({ seed: 2, runs: 300 }).catch(String)
  expect(large).toContain('expected: 4xx: the document does not allow body scan: 5121 bytes')
  expect(large).toMatch(/yes x \| head -\d{4} \| tr -d '\\n'/)
  expect(large).toMatch(/"x"\.repeat\(\d{4}\)/)
  expect(String(large).length).toBeLessThan(2_500)
})

it('fuzz() finds a handler that refuses files which the document allows', async () => {
  @Controller('strict')
  class Strict {
    @Post()
    @Upload(Scan)
    create() {
      throw new HttpError(415, 'No picture')
    }
  }
  await expect(fuzz(Strict)).rejects.toThrow('the document allows this request')
})

it('fuzz() reports the name of a file field whose rules no generated file satisfies', async () => {
  const None = { scan: file({ types: ['image/png'], maxSize: 7 }) }
  @Controller('none')
  class NoneController {
    @Post()
    @Upload(None)
    create() {
      return {}
    }
  }
  await expect(fuzz(NoneController)).rejects.toThrow(
    'fuzz() did not find a value for the body.scan of None_create (POST /none)',
  )
})

it('fuzz() does not send forms that a middleware reads, as their rules are unknown', async () => {
  @Controller('other')
  class OtherController {
    @Post('form')
    @ApiBody({ schema: z.object({ scan: z.file() }) })
    form() {
      return {}
    }

    @Post('upload')
    @Upload(Scan)
    upload() {
      return {}
    }
  }
  const { report } = await fuzz(OtherController)
  expect(report.skipped).toEqual(['Other_form'])
})
