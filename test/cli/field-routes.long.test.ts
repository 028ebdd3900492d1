import { beforeAll, describe, expect, it } from 'vitest'
import type { Project } from './project.js'
import { useFastTsx } from './use-fast-tsx.js'
import { useProjects } from './use-projects.js'

const APP = `import { App, Auth, Controller, get, inject, post } from 'blazon'
import { z } from 'zod'

const Note = z.object({ text: z.string() })

class Notes {
  all() { return [] }
}

class Base {
  protected readonly notes: Notes = inject(Notes)

  list = get('/', { returns: z.array(Note) }, () => this.notes.all())
}

@Controller('notes')
export class NotesController extends Base {
  @Auth()
  add = post('/', { body: Note, returns: Note },
    ({ body }) => body)
}

export const app = new App({ controllers: [NotesController], providers: [Notes] })
await app.listen(0)
`

const newProject = useProjects()

const project = (app: string, options: object): Project =>
  useFastTsx(newProject(['zod'])).write({
    'package.json': { type: 'module' },
    'tsconfig.json': { compilerOptions: { target: 'es2022', module: 'nodenext', ...options } },
    'src/app.ts': app,
  })

describe.each([
  ['standard decorators', {}],
  ['experimentalDecorators', { experimentalDecorators: true }],
])('the command for a project with route fields and %s', (_, options) => {
  let own: Project
  beforeAll(() => {
    own = project(APP, options)
  })

  it('writes the document', async () => {
    const exported = await own.run(['openapi', 'export', '--out', 'openapi.json'])
    expect(exported.status).toBe(0)
    const { paths } = JSON.parse(own.read('openapi.json'))
    expect(Object.keys(paths['/notes'])).toEqual(['get', 'post'])
    expect(paths['/notes'].post.requestBody).toBeDefined()
  })

  it('shows the locations of the field and of its decorators', async () => {
    const placesOf = async (method: string) => {
      const { stdout } = await own.run(['routes', '--explain', method, '/notes', '--json'])
      const { decorators } = JSON.parse(stdout) as {
        decorators: { name: string; on: string; at: { line: number } }[]
      }
      return decorators.map(({ name, on, at }) => `${name} on ${on}, line ${at.line}`)
    }
    const ofClass = '@Controller on class NotesController, line 16'
    expect(await placesOf('POST')).toEqual([
      ofClass,
      '@Auth on NotesController.add, line 18',
      'post on NotesController.add, line 19',
    ])
    expect(await placesOf('GET')).toEqual([ofClass, 'get on Base.list, line 13'])
  })

  it('shows the location of a problem as the first line of the field', async () => {
    const wrong = project(APP.replace('returns: Note }', "returns: Note, summary: '' }"), options)
    const { status, stdout } = await wrong.run(['doctor'])
    expect(status).not.toBe(0)
    expect(stdout).toContain('NotesController.add')
    expect(stdout).toContain('src/app.ts:18')
  })
})
