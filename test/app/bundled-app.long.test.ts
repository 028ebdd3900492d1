import { execFileSync } from 'node:child_process'
import { build } from 'esbuild'
import { afterAll, expect, it } from 'vitest'
import { Project } from '../cli/project.js'

const project = new Project(['ajv', 'ajv-formats', 'zod']).write({
  'main.ts': `
    import { App, Body, Controller, inject, InjectionToken, Post, type Req } from 'blazon'
    import { z } from 'zod'

    const Place = z.object({ x: z.int() }).meta({ examples: [{ x: 'left' }] })
    const Note = z.object({ text: z.string().min(1), place: Place })

    const Greeting = new InjectionToken<string>('Greeting')

    @Controller('notes')
    class NotesController {
      readonly greeting = inject(Greeting)

      @Post()
      @Body(Note)
      add({ body }: Req<{ body: typeof Note }>) {
        return body
      }
    }

    async function main() {
      const app = new App({
        controllers: [NotesController],
        providers: [{ token: Greeting, useFactory: async () => 'hello' }],
        logger: false,
      })
      const { port } = await app.listen(0, '127.0.0.1')
      const url = 'http://127.0.0.1:' + port
      const headers = { 'content-type': 'application/json' }
      const { status } = await fetch(url + '/notes', { method: 'POST', headers, body: '{}' })
      const page = await fetch(url + '/api-docs')
      const document = await (await fetch(url + '/api-docs.json')).text()
      console.log(JSON.stringify([status, page.status, document.includes('left')]))
      await app.close()
    }
    main()
  `,
})
afterAll(() => project.remove())

// A minifier renames classes. test/package has the other bundles.
it('an application in a minified bundle validates and documents its routes', async () => {
  const outfile = project.path('main.cjs')
  await build({
    entryPoints: [project.path('main.ts')],
    outfile,
    format: 'cjs',
    minify: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  })
  const printed = execFileSync(process.execPath, [outfile], { cwd: project.folder })
  // An example that its schema rejects is not in the document.
  expect(JSON.parse(String(printed))).toEqual([400, 200, false])
})
