import { App, type AppOptions, type OpenApiDocument } from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bootProblems } from '../../support.js'
import { guard, StaffController } from './staff-app.js'

type Schema = Record<string, never> & {
  properties: Record<string, Schema>
  required?: string[]
  anyOf: Schema[]
  items: Schema
}

function staff(swagger: NonNullable<AppOptions['swagger']>) {
  const keys = ['k'.repeat(32)]
  const options = { controllers: [StaffController], auth: { guard }, cookies: { keys } }
  const app = new App({ ...options, swagger, logger: false })
  onTestFinished(() => app.close())
  return app
}

function personOf({ components }: OpenApiDocument): Schema {
  return (components.schemas?.['Person'] as unknown as Schema) ?? {}
}

function bodyOf({ paths }: OpenApiDocument): Schema {
  const body = paths['/staff/ana']?.patch?.requestBody as unknown as {
    content: Record<string, { schema: Schema }>
  }
  return body.content['application/json']?.schema as Schema
}

describe.each(['3.0', '3.1', '3.2'] as const)('an OpenAPI %s document', (openapi) => {
  it('contains the fields of all callers, and requires no fields with an audience', () => {
    const { document } = staff({ openapi })
    const { properties, required } = personOf(document)
    expect(Object.keys(properties)).toEqual([
      'id',
      'name',
      'salary',
      'bonus',
      'review',
      'bank',
      'home',
      'reports',
    ])
    expect(properties['salary']).toEqual({ type: 'string', 'x-visible-to': ['payroll:read'] })
    expect(properties['review']?.['x-visible-to']).toEqual(['hr:read', 'payroll:read'])
    expect(required).toEqual(['id', 'name'])
    expect(document.paths['/staff/ana']?.patch?.responses).toHaveProperty('403')
    expect(document.paths['/staff/search']?.get?.responses).toHaveProperty('403')
  })

  it('contains no field with `visibleTo` if its audience is empty', () => {
    const { document } = staff({ openapi, audience: [] })
    const { properties, required } = personOf(document)
    expect(Object.keys(properties)).toEqual(['id', 'name', 'home', 'reports'])
    expect(Object.keys(properties['home']?.properties ?? {})).toEqual(['city'])
    expect(required).toEqual(['id', 'name'])
    expect(Object.keys(bodyOf(document).properties)).toEqual(['name', 'home', 'events', 'extra'])
    const parameters = document.paths['/staff/search']?.get?.parameters
    expect(parameters?.map((each) => each.name)).toEqual(['q'])
    const text = JSON.stringify(document)
    for (const word of ['visible', 'salary":', 'payroll', 'street', 'iban', 'minSalary']) {
      // An alternative of events, in two bodies, and a form have a field of this name without an audience.
      if (word === 'salary":') expect(text.split(word)).toHaveLength(4)
      else expect(text).not.toContain(word)
    }
  })

  it('requires only the fields that all callers in its audience can see', () => {
    const { document } = staff({ openapi, audience: 'payroll:read' })
    const { properties, required } = personOf(document)
    expect(Object.keys(properties)).toEqual([
      'id',
      'name',
      'salary',
      'bonus',
      'bank',
      'home',
      'reports',
    ])
    expect(required).toEqual(['id', 'name', 'salary', 'bonus'])
    expect(JSON.stringify(document)).not.toContain('hr:read')
  })
})

it('each audience has a separate document in one application', () => {
  const app = staff([
    { path: '/docs/public', audience: [] },
    { path: '/docs/payroll', audience: ['payroll:read'] },
    { path: '/docs/all' },
  ])
  const names = app.documents.map(
    ({ document }) => Object.keys(personOf(document).properties).length,
  )
  expect(names).toEqual([4, 7, 8])
})

it.each([[7], [''], [['a', '']], [{}], [null]])(
  'the audience %j causes a boot error',
  async (audience) => {
    const swagger = { audience } as never
    expect(await bootProblems({ swagger })).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'swagger.audience' },
    ])
  },
)
