import {
  ApiResponseDoc,
  App,
  type AppOptions,
  ConflictError,
  Controller,
  Envelope,
  type EnvelopeFormat,
  type ErrorOptions,
  Get,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../../src/cli/client/emit-client.js'
import { compareDocuments } from '../../../src/cli/diff/compare-documents.js'
import { importClient } from '../../cli/import-client.js'

const Note = z.object({ title: z.string() }).meta({ id: 'Note' })

@Controller('notes')
class NotesController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: Note })
  read() {
    return { title: 'a' }
  }

  @Get('stated')
  @Envelope(true)
  @ApiResponseDoc({ status: 200, schema: Note })
  stated() {
    return { title: 'b' }
  }

  @Get('taken')
  @ApiResponseDoc({ status: 200, schema: Note })
  taken() {
    throw new ConflictError('Taken')
  }
}

const controllers = [NotesController]
const own: EnvelopeFormat = {
  success: (result) => ({ result }),
  schema: (result) => ({ type: 'object', properties: { result }, required: ['result'] }),
}
const errors: ErrorOptions = {
  format: ({ code }) => ({ problem: code }),
  schema: z.object({ problem: z.string() }).meta({ id: 'Trouble' }),
}

async function clientOf(name: string, options: AppOptions) {
  const app = new App({ controllers, logger: false, ...options })
  const { port } = await app.listen(0, '127.0.0.1')
  const { createClient } = await importClient(`wire-${name}`, emitClient(app.document))
  const { notes } = createClient({ baseUrl: `http://127.0.0.1:${port}` })
  const call = (method: string) => notes?.[method]?.()
  return { call, [Symbol.asyncDispose]: () => app.close() }
}

describe('a generated client', () => {
  it('returns raw data unchanged, and extracts the data from an envelope', async () => {
    await using client = await clientOf('bare', { envelope: false })
    expect(await client.call('read')).toMatchObject({ ok: true, data: { title: 'a' } })
    expect(await client.call('stated')).toMatchObject({ ok: true, data: { title: 'b' } })
  })

  it('returns the whole body of a custom envelope', async () => {
    await using client = await clientOf('own', { envelope: own })
    expect(await client.call('read')).toMatchObject({ data: { result: { title: 'a' } } })
  })

  it.each<[string, AppOptions, object]>([
    ['a custom format', { errors }, { problem: 'CONFLICT' }],
    ['problem details', { errors: 'problem' }, { title: 'Conflict', code: 'CONFLICT' }],
    ['the envelope', {}, { statusCode: 'error', code: 'CONFLICT' }],
  ])(
    'returns an undocumented error in the error format of the application: %s',
    async (_, options, error) => {
      await using client = await clientOf(Object.keys(error)[0] as string, options)
      expect(await client.call('taken')).toMatchObject({ ok: false, status: 409, error })
    },
  )

  it('contains the types of the error format', () => {
    const text = emitClient(new App({ controllers, envelope: false, errors }).document)
    expect(text).toContain('Success<200, Note>')
    expect(text).toMatch(/Failure<Exclude<[^\n]*, Trouble>/)
    expect(text).not.toContain('ErrorEnvelope')
  })
})

describe('the comparison of two documents', () => {
  const of = (options: AppOptions) => new App({ controllers, ...options }).document

  it.each<[string, AppOptions]>([
    ['no envelope', { envelope: false }],
    ['a custom envelope', { envelope: own }],
    ['a custom error format', { errors }],
    ['problem details only', { errors: 'problem' }],
  ])('detects that %s breaks clients', (_, options) => {
    const changes = compareDocuments(of({}), of(options))
    expect(changes.filter(({ isBreaking }) => isBreaking).length).toBeGreaterThan(0)
    expect(compareDocuments(of(options), of(options))).toEqual([])
  })
})

describe('the test tools', () => {
  it('find no problem with raw data and a custom error format', async () => {
    await using app = await TestApp.create({
      controllers,
      envelope: false,
      errors: { ...errors, status: { validation: 422 } },
      contract: 'throw',
      responses: { documented: [{ status: 409 }] },
    })
    await app.fuzz({ seed: 3, runs: 20 })
    expect(String(await app.authMatrix({ nobody: null }))).toContain('/notes')
  })

  it('detect an error body that does not match the error format', async () => {
    @Controller('wrong')
    class Wrong {
      @Get() get() {
        throw new ConflictError()
      }
    }
    const lying: ErrorOptions = { ...errors, format: () => ({ other: true }) }
    await using app = await TestApp.create({ controllers: [Wrong], errors: lying })
    await app.request().get('/wrong')
    expect(app.contractReport().map(({ kind }) => kind)).toContain('envelope')
  })
})
