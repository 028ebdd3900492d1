import { App, Controller, Get, HttpError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { explainErrors } from '../../src/pipeline/explain-errors.js'

type Explain = (error: unknown) => unknown

/** What an error becomes if these functions of plugins explain it. */
function explained(
  error: unknown,
  explains: Explain[],
  declares: ((name: string) => boolean) | null = null,
) {
  const found: unknown[] = []
  const plugins = explains.map((explain, index) => ({ name: `plugin ${index}`, explain }))
  const config = { plugins, declaresOf: () => declares, validationStatus: 422 }
  const req = { route: { path: '/of/express' }, body: { id: 7 } }
  explainErrors(config as never, (each) => void found.push(each))(error, req as never, {} as never)
  return found[0] as HttpError
}

const errors = [{ in: 'body', path: 'id', message: 'is taken by 7' }] as const
const bug = new Error('a bug')

describe('the error that a plugin explains', () => {
  it('is explained by the next plugin if a plugin throws, or returns no HTTP error', () => {
    const meaning = new HttpError(409, 'Taken')
    const broken = () => {
      throw new Error('broken')
    }
    expect(explained(bug, [broken, () => undefined, () => 'text', () => meaning])).toBe(meaning)
    expect(explained(bug, [broken])).toBe(bug)
    const known = new HttpError(404, 'None')
    expect(explained(known, [() => meaning])).toBe(known)
  })

  it('keeps its status, code, headers and cause if it has field errors', () => {
    const options = { code: 'TAKEN', errors, cause: bug, headers: { 'X-Field': 'id' } }
    const found = explained(bug, [() => new HttpError(409, 'Taken', options)])
    expect(found).toMatchObject({ status: 409, message: 'Taken', ...options })
  })

  it.each([
    [400, 'VALIDATION_FAILED', 422],
    [409, 'VALIDATION_FAILED', 409],
    [400, 'TAKEN', 400],
  ])(
    'has the status of rejected values only with 400 and VALIDATION_FAILED: %d %s',
    (status, code, shown) => {
      const found = explained(bug, [() => new HttpError(status, 'No', { code, errors })])
      expect([found.status, found.code]).toEqual([shown, code])
    },
  )

  it('has limited field errors, which contain no values if the schema must hide them', () => {
    const many = Array.from({ length: 30 }, () => errors[0])
    const meaning = () => new HttpError(409, 'Taken', { errors: many })
    expect(explained(bug, [meaning]).errors).toHaveLength(20)
    const hidden = explained(bug, [meaning], (name) => name === 'id').errors
    expect(hidden?.[0]).toEqual({ in: 'body', path: 'id', message: 'is not valid' })
  })
})

it('the document lists the status for invalid input on every route if a plugin explains errors', () => {
  @Controller('plain')
  class Plain {
    @Get() get() {}
  }
  const statusesWith = (plugins: { name: string; explain?: () => undefined }[]) => {
    const errors = { status: { validation: 422 } } as const
    const { paths } = new App({ controllers: [Plain], plugins, errors }).document
    return Object.keys(paths['/plain']?.get?.responses ?? {})
  }
  expect(statusesWith([{ name: 'explains', explain: () => undefined }])).toContain('422')
  expect(statusesWith([{ name: 'other' }])).not.toContain('422')
})
