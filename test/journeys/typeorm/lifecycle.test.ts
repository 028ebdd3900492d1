import { EventEmitter, once } from 'node:events'
import { App, Controller, Get, Health, Inject, inject } from 'blazon'
import { TestApp } from 'blazon/testing'
import { dataSourceOf, repositoryOf, typeorm } from 'blazon/typeorm'
import { DataSource, EntitySchema } from 'typeorm'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'
import { inMemory, NoteEntity, NotesController, options } from './notes.js'

describe('the TypeORM data source', () => {
  it('is initialized before its dependents are created', async () => {
    const seen: unknown[] = []
    class Service {
      constructor(readonly dataSource = inject(DataSource)) {
        seen.push(dataSource.isInitialized)
      }

      async onInit() {
        seen.push(await this.dataSource.getRepository(NoteEntity).count())
      }
    }
    const seeded = {
      token: 'seeded',
      useFactory: (dataSource: DataSource) =>
        dataSource.getRepository(NoteEntity).save({ text: 'Buy milk' }),
      inject: [DataSource],
    }
    await using app = await TestApp.create({ ...options, providers: [Service, seeded] })
    expect(seen).toEqual([true, 1])
    expect((await app.request().get('/notes')).body.data).toEqual(['Buy milk'])
  })

  it('is destroyed after the last response, and after its dependents are closed', async () => {
    const handler = new EventEmitter()

    @Controller('slow')
    class SlowController {
      readonly #notes = inject(repositoryOf(NoteEntity))

      @Get()
      async count() {
        handler.emit('entered')
        await once(handler, 'go on')
        return await this.#notes.count()
      }
    }
    class Last {
      counted: number | undefined
      readonly #notes = inject(repositoryOf(NoteEntity))

      async onClose() {
        this.counted = await this.#notes.count()
      }
    }
    const parts = { controllers: [SlowController], providers: [Last], plugins: [inMemory] }
    const app = await App.create({ ...parts, logger: false })
    const { port } = await app.listen(0, '127.0.0.1')
    const dataSource = app.get(DataSource)
    const entered = once(handler, 'entered')
    const answer = fetch(`http://127.0.0.1:${port}/slow`)
    await entered
    const closing = app.close()
    handler.emit('go on')
    expect(await (await answer).json()).toMatchObject({ data: 0 })
    await closing
    expect(app.get(Last).counted).toBe(0)
    expect(dataSource.isInitialized).toBe(false)
  })

  it('can be destroyed before close()', async () => {
    const app = await TestApp.create(options)
    await app.get(DataSource).destroy()
    await app.close()
  })

  it('is destroyed when startup fails', async () => {
    let dataSource: DataSource | undefined
    class Failing {
      readonly #dataSource = inject(DataSource)

      onInit() {
        dataSource = this.#dataSource
        throw new Error('no')
      }
    }
    await expect(TestApp.create({ ...options, providers: [Failing] })).rejects.toThrow('no')
    expect(dataSource?.isInitialized).toBe(false)
  })

  it('is not initialized for a document or before startup', () => {
    const app = new App({ ...options, plugins: [typeorm({ type: 'sqljs', location: '/no/such' })] })
    expect(app.document.paths).toHaveProperty(['/notes'])
  })

  it('has a health check', async () => {
    const archive = typeorm({ name: 'archive', type: 'sqljs' })
    await using app = await TestApp.create({ ...options, plugins: [inMemory, archive] })
    const health = app.get(Health)
    const up = { status: 'up' }
    expect(await health.check()).toEqual({
      status: 'up',
      checks: {},
      plugins: { typeorm: up, 'typeorm archive': up },
    })
    await app.get(dataSourceOf('archive')).destroy()
    // A report is used for one second.
    await app.clock.advance('1s')
    expect(await health.check()).toEqual({
      status: 'down',
      checks: {},
      plugins: {
        typeorm: up,
        'typeorm archive': { status: 'down', reason: 'The data source is closed.' },
      },
    })
  })
})

describe('the health check of TypeORM', () => {
  it.each<[string, string | undefined]>([
    ['postgres', 'select 1'],
    ['oracle', 'select 1 from dual'],
    ['sap', 'select 1 from dummy'],
    ['mongodb', undefined],
  ])('runs a query that the database accepts: %s', async (type, query) => {
    const asked: string[] = []
    const useValue = {
      isInitialized: true,
      options: { type },
      query: async (text: string) => void asked.push(text),
    }
    const testOverrides = [{ token: DataSource, useValue }]
    await using app = await TestApp.create({ plugins: [inMemory], testOverrides })
    expect((await app.get(Health).check()).status).toBe('up')
    expect(asked).toEqual(query === undefined ? [] : [query])
  })
})

describe('a test override of TypeORM', () => {
  const fake = { find: async () => [{ id: 7, text: 'not in any database' }] }
  const override = { token: repositoryOf(NoteEntity), useValue: fake }

  it('replaces a repository', async () => {
    await using app = await TestApp.create({ ...options, testOverrides: [override] })
    const { body } = await app.request().get('/notes')
    expect(body.data).toEqual(['not in any database'])
    expect(app.logs).toEqual([])
  })

  it('works without the plugin', async () => {
    const controllers = [NotesController]
    await using app = await TestApp.create({ controllers, testOverrides: [override] })
    const { body } = await app.request().get('/notes')
    expect(body.data).toEqual(['not in any database'])
  })

  it('prevents the creation of a data source that it replaces', async () => {
    const unreachable = typeorm({ type: 'sqljs', location: '/no/such/folder', entities: ['x'] })
    const dataSource = {
      hasMetadata: () => true,
      getRepository: () => fake,
    }
    await using app = await TestApp.create({
      controllers: [NotesController],
      plugins: [unreachable],
      testOverrides: [{ token: DataSource, useValue: dataSource }],
    })
    const { body } = await app.request().get('/notes')
    expect(body.data).toEqual(['not in any database'])
  })

  it('does not affect other data sources', async () => {
    const archive = typeorm({ name: 'archive', type: 'sqljs', entities: [NoteEntity] })
    class Both {
      readonly notes = inject(repositoryOf(NoteEntity))
      readonly archive = inject(repositoryOf(NoteEntity, 'archive'))
    }
    await using app = await TestApp.create({
      plugins: [inMemory, archive],
      providers: [Both],
      testOverrides: [{ token: repositoryOf(NoteEntity, 'archive'), useValue: fake }],
    })
    expect(app.get(Both).archive).toBe(fake)
    expect(await app.get(Both).notes.count()).toBe(0)
  })
})

describe('the tenant warning of TypeORM', () => {
  const tenant = { required: false, authorize: () => true }

  it('is logged once, because the database does not separate tenants', async () => {
    await using app = await TestApp.create({ ...options, tenant })
    await app.asTenant('acme').request().get('/notes').expect(200)
    const warnings = app.logs.filter(({ level }) => level === 'warn')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.facts).toEqual({ plugin: 'typeorm' })
    expect(warnings[0]?.message).toMatch(/tenants.+Filter every query by tenant.+docs\/typeorm\.md/)
  })

  it('is not logged when the application has no tenants', async () => {
    await using app = await TestApp.create(options)
    expect(app.logs).toEqual([])
  })
})

describe('the token of a repository', () => {
  it('is the same for a schema and its target class, but not for another data source', () => {
    class Person {
      id!: number
    }
    const columns = { id: { type: Number, primary: true } } as const
    const schema = new EntitySchema<Person>({ name: 'Person', target: Person, columns })
    expect(repositoryOf(schema)).toBe(repositoryOf(Person))
    expect(repositoryOf(Person, 'a')).toBe(repositoryOf(schema, 'a'))
    expect(repositoryOf(Person, 'a')).not.toBe(repositoryOf(Person))
    expect(repositoryOf(Person, 'a')).not.toBe(repositoryOf(Person, 'b'))
    expect(String(repositoryOf(Person, 'b'))).toContain("repositoryOf(Person, 'b')")
    expect(dataSourceOf('a')).toBe(dataSourceOf('a'))
    expect(dataSourceOf('a')).not.toBe(dataSourceOf('b'))
    expect(dataSourceOf()).toBe(DataSource)
  })
})

describe('boot errors of TypeORM', () => {
  const Other = new EntitySchema({
    name: 'Other',
    columns: { id: { type: Number, primary: true } },
  })

  it('name an unknown entity, and the class that injects its repository', async () => {
    class Others {
      @Inject(repositoryOf(Other)) readonly others!: unknown
    }
    const [problem, ...more] = await bootProblems({ plugins: [inMemory], providers: [Others] })
    expect(more).toEqual([])
    expect(problem).toMatchObject({ code: 'E_PROVIDER_MISSING', subject: 'repositoryOf(Other)' })
    expect(problem?.cause).toMatch(/does not contain Other; its entities are: Note\..*Others ->/)
    expect(problem?.remedy).toContain('Add Other to `entities`')
  })

  it('mention the missing plugin, including its name', async () => {
    const [unnamed] = await bootProblems({ controllers: [NotesController] })
    expect(unnamed).toMatchObject({ code: 'E_PROVIDER_MISSING', subject: 'repositoryOf(Note)' })
    expect(unnamed?.remedy).toContain('Add typeorm({ … }) to `plugins`')
    class Archive {
      readonly notes = inject(repositoryOf(NoteEntity, 'archive'))
    }
    const [named] = await bootProblems({ plugins: [inMemory], providers: [Archive] })
    expect(named?.subject).toBe("repositoryOf(Note, 'archive')")
    expect(named?.remedy).toContain("typeorm({ name: 'archive', … })")
  })

  it('report two data sources without a name', async () => {
    const plugins = [inMemory, typeorm({ type: 'sqljs' })]
    const [problem] = await bootProblems({ plugins })
    expect(problem).toMatchObject({ code: 'E_PROVIDER_DUPLICATE', subject: 'DataSource' })
  })

  it('contain the TypeORM error about entities', async () => {
    const Broken = new EntitySchema({ name: 'Broken', columns: {} })
    const plugins = [typeorm({ type: 'sqljs', entities: [Broken] })]
    const [problem] = await bootProblems({ plugins })
    expect(problem).toMatchObject({
      code: 'E_PROVIDER_FAILED',
      subject: "typeorm({ type: 'sqljs' })",
    })
    expect(problem?.cause).toContain('"Broken" does not have a primary column')
  })

  it('say that a data source has no entities', async () => {
    class Others {
      readonly others = inject(repositoryOf(Other))
    }
    const plugins = [typeorm({ type: 'sqljs' })]
    const [problem] = await bootProblems({ plugins, providers: [Others] })
    expect(problem?.cause).toContain('its entities are: none')
  })

  it('mention a circular import when the entity is undefined', () => {
    expect(() => repositoryOf(undefined as never)).toThrow(/A circular import is often the reason/)
  })
})
