import { spawnSync } from 'node:child_process'
import { request } from 'node:http'
import {
  ApiBody,
  ApiResponseDoc,
  Body,
  Controller,
  Get,
  Headers,
  Params,
  Post,
  Query,
  type Request,
  type Response,
} from 'blazon'
import { type FuzzOptions, TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const Named = z.object({ name: z.string() })
const NameId = z.object({ name: z.string() })
const Range = z.object({ low: z.int().min(0), high: z.int().min(0) })

/** A bug in every handler. */
@Controller('bugs')
class BugsController {
  @Post('crash')
  @Body(z.object({ name: z.string(), tags: z.array(z.string()).optional() }))
  crash(req: Request) {
    if (req.body.tags?.length >= 2) throw new TypeError('Two are too many')
    return {}
  }

  @Get('status')
  @Query(z.object({ n: z.coerce.number().int().min(0), other: z.string().optional() }))
  @ApiResponseDoc({ status: 200, description: 'Fine' })
  status(req: Request, res: Response) {
    const { n } = req.query as unknown as { n: number }
    const status = n > 100 ? 202 : 200
    res.status(status).json({ statusCode: 'success', status, message: 'Fine', data: {} })
  }

  @Get('field/:name')
  @Params(NameId)
  @ApiResponseDoc({ status: 200, description: 'Fine', schema: Named })
  field(req: Request) {
    const { name = '' } = req.params
    return name.length > 3 ? { name, secret: true } : { name }
  }

  @Post('loose')
  @Body(Named)
  @ApiBody({ schema: z.object({ name: z.string().max(3) }) })
  loose() {
    return {}
  }

  @Post('strict')
  @Body(Range.refine(({ low, high }) => low <= high, 'low must not be above high'))
  strict() {
    return {}
  }

  @Get('inject')
  @Query(z.object({ to: z.string().optional() }))
  inject(req: Request, res: Response) {
    // Node refuses line breaks in headers. This stands for code that writes to the socket itself.
    const [, line = ''] = String(req.query['to']).split('\n')
    const [name = '', value] = line.split(': ')
    if (name.startsWith('x-') && value !== undefined) res.setHeader(name, value)
    return {}
  }

  @Get('files/:name')
  @Params(NameId)
  files(req: Request) {
    if (req.params['name'] === '..') throw new TypeError('Out of the folder')
    return {}
  }

  @Post('names')
  @Body(Named)
  names(req: Request) {
    if (/[\u0080-\uffff]/.test(req.body.name)) throw new TypeError('Not ASCII')
    return {}
  }

  @Get('latin')
  @Headers(z.object({ 'x-name': z.string().min(1) }))
  latin(req: Request) {
    if (/[\x80-\xff]/.test(req.get('x-name') ?? '')) throw new TypeError('Not ASCII')
    return {}
  }
}

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create({ controllers: [BugsController], contract: 'throw' })
})
afterEach(() => app.close())

/** The message of the failure that fuzzing one operation ends with. */
async function failureOf(handler: string, options: FuzzOptions = {}): Promise<string> {
  const operations = ({ handler: name }: { handler: string }) =>
    name === `BugsController.${handler}`
  const failure = await app.fuzz({ seed: 1, runs: 300, operations, ...options }).catch((e) => e)
  if (!(failure instanceof Error)) throw new Error('No problems were found.')
  return failure.message
}

function partsOf(message: string) {
  // fast-check chooses the numbers of the path, so the snapshots leave them out.
  const known = message.replace(/(path: "\w+)[^"]+/, '$1/…')
  const [text = '', curl = '', ...snippet] = known.split('\n\n')
  return { text, curl, snippet: snippet.join('\n\n') }
}

/** The arguments that bash passes to curl. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'latin1', env: { TOKEN: 't' } })
  return stdout.split('\0').slice(0, -1)
}

/** Runs a printed snippet as the body of a test. */
async function run(snippet: string): Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...values: unknown[]) => Promise<unknown>
  const body = snippet.replace(/^import .*$/gm, '')
  return await new AsyncFunction('app', 'expect', 'request', body)(app, expect, request)
}

describe('a planted defect', () => {
  it('is found if it causes a crash, with the smallest body that shows it', async () => {
    const { text, curl, snippet } = partsOf(await failureOf('crash'))
    expect(text).toMatchInlineSnapshot(`
      "POST /bugs/crash (Bugs_crash, BugsController.crash) fails for a request of the kind valid.
        expected: no server error
        received: 500 {"statusCode":"error","status":500,"message":"Internal Server Error","code":"INTERNAL_SERVER_ERROR"}
        replay:   app.fuzz({ seed: 1, path: "Bugs_crash/…" })"
    `)
    expect(curl).toMatchInlineSnapshot(`
      "curl -X POST 'http://localhost:3000/bugs/crash' \\
        -H 'content-type: application/json' \\
        --data-raw '{"name":"","tags":["",""]}'"
    `)
    expect(snippet).toMatchInlineSnapshot(`
      "const response = await app.fetch("/bugs/crash", {
        method: "POST",
        headers: {"content-type":"application/json"},
        body: "{\\"name\\":\\"\\",\\"tags\\":[\\"\\",\\"\\"]}",
      })
      expect(response.status).toBeLessThan(500)"
    `)
    expect(wordsOf(curl)).toEqual([
      '-X',
      'POST',
      'http://localhost:3000/bugs/crash',
      '-H',
      'content-type: application/json',
      '--data-raw',
      '{"name":"","tags":["",""]}',
    ])
    await expect(run(snippet)).rejects.toThrow('expected 500 to be less than 500')
  })

  it('is found if it sends an undocumented status, with the smallest value that causes it', async () => {
    const { text, curl, snippet } = partsOf(await failureOf('status'))
    expect(text).toContain('status: expected one of 200, 400, 500, 503, got 202')
    expect(curl).toContain("'http://localhost:3000/bugs/status?n=101'")
    await expect(run(snippet)).rejects.toThrow('responded 202')
  })

  it('is found if it sends an undocumented field', async () => {
    const { text, curl } = partsOf(await failureOf('field'))
    expect(text).toContain('data.secret')
    expect(curl).toContain("'http://localhost:3000/bugs/field/")
  })

  it('is found if a non-ASCII body causes it, and both the command and the test send UTF-8', async () => {
    const { curl, snippet } = partsOf(await failureOf('names'))
    const sent = Buffer.from(wordsOf(curl).at(-1) ?? '', 'latin1').toString()
    expect(JSON.parse(sent).name).toMatch(/^[\u0080-\uff00]$/)
    expect(snippet).toContain(`body: ${JSON.stringify(sent)}`)
    await expect(run(snippet)).rejects.toThrow('expected 500 to be less than 500')
  })

  it('is found if it accepts a body that the document forbids', async () => {
    const { text, curl, snippet } = partsOf(await failureOf('loose'))
    expect(text).toMatchInlineSnapshot(`
      "POST /bugs/loose (Bugs_loose, BugsController.loose) fails for a request of the kind invalid (body name: "xxxx").
        expected: 4xx: the document does not allow body name: "xxxx"
        received: 200 {"statusCode":"success","status":200,"message":"OK","data":{}}
        replay:   app.fuzz({ seed: 1, path: "Bugs_loose/…" })
        → The validator accepts data that the document forbids. If this is intended, pass allow: { Bugs_loose: 'looser' }, or skip: ['Bugs_loose']."
    `)
    expect(wordsOf(curl).at(-1)).toBe('{"name":"xxxx"}')
    await expect(run(snippet)).rejects.toThrow('to be greater than or equal to 400')
  })

  it('is found if it refuses a body that the document allows', async () => {
    const { text, curl, snippet } = partsOf(await failureOf('strict'))
    expect(text).toMatchInlineSnapshot(`
      "POST /bugs/strict (Bugs_strict, BugsController.strict) fails for a request of the kind valid.
        expected: not 400: the document allows this request
        received: 400 {"statusCode":"error","status":400,"message":"Validation failed","code":"VALIDATION_FAILED","errors":[{"in":"body","path":"","message":"low must not be above high"}]}
        replay:   app.fuzz({ seed: 1, path: "Bugs_strict/…" })
        → The document is less exact than the validator. If this is intended, pass allow: { Bugs_strict: 'stricter' }, or skip: ['Bugs_strict']."
    `)
    expect(wordsOf(curl).at(-1)).toBe('{"low":1,"high":0}')
    await expect(run(snippet)).rejects.toThrow('to not include 400')
  })

  it('is found if it turns a value into a response header', async () => {
    const { text, curl, snippet } = partsOf(await failureOf('inject'))
    expect(text).toContain('no header x-fuzz-injected')
    expect(curl).toMatch(/\?to=a(%0D)?%0Ax-fuzz-injected%3A%201'$/)
    await expect(run(snippet)).rejects.toThrow('to be null')
  })

  it('is found if it needs a path that fetch would normalise, and the path is shown unchanged', async () => {
    const { curl, snippet } = partsOf(await failureOf('files'))
    const words = wordsOf(curl)
    expect(words[0]).toBe('--path-as-is')
    expect(words).toContainEqual(expect.stringMatching(/files\/(\.\.|%2e%2e)$/i))
    expect(snippet).toContain("import { request } from 'node:http'")
    await expect(run(snippet)).rejects.toThrow('expected 500 to be less than 500')
  })

  it('is found if it needs non-ASCII bytes in a header, and curl sends the same bytes', async () => {
    const { curl, snippet } = partsOf(await failureOf('latin'))
    expect(wordsOf(curl).at(-1)).toMatch(/^x-name: .*[\x80-\xff]/)
    await expect(run(snippet)).rejects.toThrow('expected 500 to be less than 500')
  })
})

describe('a reported failure', () => {
  it('is the same for the same seed, and is replayed by its path', async () => {
    const message = await failureOf('crash')
    expect(await failureOf('crash')).toBe(message)
    const [, path = ''] = /path: "(.+)" }/.exec(message) ?? []
    expect(path).toMatch(/^Bugs_crash\/[\d:]+$/)
    const crashed = app.logs.length
    expect(await failureOf('crash', { path })).toBe(message)
    expect(app.logs.length).toBe(crashed + 1)
  })

  it('shows the user of the request, but no credentials in the command', async () => {
    const options = { as: { id: 'ada' }, headers: { 'x-tenant-id': "a'b" } }
    const { curl, snippet } = partsOf(await failureOf('crash', options))
    const words = wordsOf(curl)
    expect(words).toContain('Authorization: Bearer t')
    expect(words).toContain("x-tenant-id: a'b")
    expect(snippet).toContain('app.as({"id":"ada"}).fetch(')
    expect(snippet).toContain('"x-tenant-id":"a\'b"')
    app.withAuth('s3cret')
    expect(partsOf(await failureOf('crash')).curl).not.toContain('s3cret')
  })

  it('can be allowed if the validator and the document differ on purpose', async () => {
    const operations = ({ handler }: { handler: string }) => /loose|strict/.test(handler)
    const allow = { Bugs_loose: 'looser', Bugs_strict: ['stricter'] } as const
    const report = await app.fuzz({ seed: 1, operations, allow })
    expect(report).toMatchObject({ operations: 2, requests: 100 })
  })
})
