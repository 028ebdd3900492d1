import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { useProjects } from './use-projects.js'

const run = promisify(execFile)
const newProject = useProjects()

/** Requests what the package loads only when it is used: plugins of options, and steps and responses of decorators. */
const MAIN = `
import { App, Cache, Controller, cursor, fileResponse, Get, JsonLines, NotFoundError, Paged, Post, Upload, file } from 'blazon'
import { RequestRecords } from 'blazon'
import { z } from 'zod'

const Item = z.object({ id: z.int() })
const Items = cursor(Item, { order: ['id'] })

@Controller('things')
class Things {
  @Get('cached') @Cache({ ttl: '1m' }) cached(): string { return 'cached' }
  @Get('file') file() { return fileResponse(Buffer.from('text'), { name: 'a.txt' }) }
  @Get('lines') @JsonLines(Item) async *lines() { yield { id: 1 } }
  @Get('page') @Paged(Items) page({ page }: Paged<typeof Items>) { return page.of([{ id: 1 }]) }
  @Get('missing') missing() { throw new NotFoundError('There is no such thing.') }
  @Post('form') @Upload({ avatar: file() }) async form(req: any): Promise<number> { return (await req.body.avatar.bytes()).length }
}

async function main(): Promise<void> {
  const app = new App({
    controllers: [Things],
    capacity: { concurrent: 5 },
    cookies: { keys: ['a key of at least thirty-two bytes'] },
    health: true,
    metrics: true,
    records: true,
    logger: false,
  })
  const body = new FormData()
  body.set('avatar', new Blob(['text']), 'a.txt')
  const paths = ['cached', 'file', 'lines', 'page', 'missing'].map((name) => '/things/' + name)
  const found: Record<string, string> = {}
  for (const path of [...paths, '/livez', '/metrics', '/api-docs']) {
    found[path] = await textOf(await app.fetch(new Request('http://localhost' + path)))
  }
  found['/things/form'] = await textOf(await app.fetch(new Request('http://localhost/things/form', { method: 'POST', body })))
  found.records = String(Array.isArray(app.get(RequestRecords).list()))
  console.log(JSON.stringify(found))
  await app.close()
}

async function textOf(response: Response): Promise<string> {
  await response.text()
  return response.status + ' ' + response.headers.get('content-type')
}

void main()
`

it.each([
  ['tsx', ['--import', 'tsx']],
  ['tsx/cjs', ['--require', 'tsx/cjs']],
])('in CommonJS, TypeScript compiled by %s uses one copy of the package', async (_, flags) => {
  const project = newProject(['tsx', 'zod', '@fastify/busboy']).write({
    'package.json': { type: 'commonjs' },
    'tsconfig.json': { compilerOptions: { module: 'commonjs', target: 'es2022' } },
    'src/main.ts': MAIN,
  })
  const { stdout } = await run(process.execPath, [...flags, 'src/main.ts'], {
    cwd: project.folder,
    env: { ...process.env, NODE_ENV: 'development' },
  })
  const json = 'application/json; charset=utf-8'
  expect(JSON.parse(stdout)).toEqual({
    '/things/cached': `200 ${json}`,
    '/things/file': '200 text/plain; charset=utf-8',
    '/things/lines': '200 application/jsonl',
    '/things/page': `200 ${json}`,
    '/things/missing': `404 ${json}`,
    '/things/form': `200 ${json}`,
    '/livez': '200 application/json; charset=utf-8',
    '/metrics': '200 text/plain; version=0.0.4; charset=utf-8',
    '/api-docs': '200 text/html; charset=utf-8',
    records: 'true',
  })
})
