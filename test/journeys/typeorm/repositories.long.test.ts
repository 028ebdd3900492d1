import { App, ConflictError, Controller, Get, Inject, inject, NotFoundError, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { dataSourceOf, repositoryOf, typeorm } from 'blazon/typeorm'
import { DataSource, EntityNotFoundError, QueryFailedError, Repository } from 'typeorm'
import { describe, expect, it } from 'vitest'
import { inMemory, type Note, NoteEntity, NotesController, options } from './notes.js'

/** The texts of the notes in the response. */
async function listOf(app: TestApp): Promise<string[]> {
  const { body } = await app.request().get('/notes').expect(200)
  return body.data
}

const add = (app: TestApp, text: string) => app.request().post('/notes').send({ text })

describe('a repository', () => {
  it('can be injected', async () => {
    await using app = await TestApp.create({ ...options, contract: 'throw' })
    const { status, body } = await add(app, 'Buy milk')
    expect([status, body.data]).toEqual([201, { id: 1, text: 'Buy milk' }])
    const found = await app.request().get('/notes/1').expect(200)
    expect(found.body.data).toEqual({ id: 1, text: 'Buy milk' })
    expect(await listOf(app)).toEqual(['Buy milk'])
  })

  it('is the same object for each kind of injection', async () => {
    class ByField {
      @Inject(repositoryOf(NoteEntity)) readonly notes!: Repository<Note>
    }
    class ByStatic {
      static readonly inject = [repositoryOf(NoteEntity), DataSource]
      constructor(
        readonly notes: Repository<Note>,
        readonly dataSource: DataSource,
      ) {}
    }
    await using app = await TestApp.create({ ...options, providers: [ByField, ByStatic] })
    const notes = app.get(repositoryOf(NoteEntity))
    expect(notes).toBeInstanceOf(Repository)
    expect(app.get(ByField).notes).toBe(notes)
    expect(app.get(ByStatic).notes).toBe(notes)
    expect(app.get(ByStatic).dataSource).toBe(app.get(DataSource))
    expect(app.get(dataSourceOf())).toBe(app.get(DataSource))
    expect(app.get(DataSource).getRepository(NoteEntity)).toBe(notes)
  })

  it('can be injected in modules with private providers', async () => {
    class Notes {
      readonly #notes = inject(repositoryOf(NoteEntity))
      count = () => this.#notes.count()
    }
    const notes = { name: 'notes', providers: [Notes], exports: [Notes] }
    await using app = await TestApp.create({ ...options, modules: [notes] })
    await add(app, 'Buy milk')
    expect(await app.get(Notes).count()).toBe(1)
  })

  it('can be extended by a factory', async () => {
    const Notes = 'searchable notes'
    const useFactory = (notes: Repository<Note>) =>
      notes.extend({
        search(word: string) {
          return this.createQueryBuilder('note').where('text like :like', { like: `%${word}%` })
        },
      })
    const provider = { token: Notes, useFactory, inject: [repositoryOf(NoteEntity)] }
    await using app = await TestApp.create({ ...options, providers: [provider] })
    await add(app, 'Buy milk')
    await add(app, 'Sell the cow')
    const notes = app.get<ReturnType<typeof useFactory>>(Notes)
    expect(await notes.search('cow').getMany()).toEqual([{ id: 2, text: 'Sell the cow' }])
  })
})

describe('an application with TypeORM', () => {
  it('has its own in-memory database even if another application uses the same plugin', async () => {
    await using one = await TestApp.create(options)
    await using other = await TestApp.create(options)
    expect(one.get(DataSource)).not.toBe(other.get(DataSource))
    for (let round = 0; round < 20; round++) {
      await Promise.all([add(one, `one ${round}`), add(other, `other ${round}`)])
    }
    const texts = (name: string) => Array.from({ length: 20 }, (_, round) => `${name} ${round}`)
    expect(await listOf(one)).toEqual(texts('one'))
    expect(await listOf(other)).toEqual(texts('other'))
    await one.close()
    expect(await listOf(other)).toEqual(texts('other'))
  })

  it('starts with an empty database each time', async () => {
    for (let round = 0; round < 3; round++) {
      await using app = await TestApp.create(options)
      expect(await listOf(app)).toEqual([])
      await add(app, 'Buy milk').expect(201)
    }
  })

  it('responds on a network port', async () => {
    const app = await App.create({ ...options, logger: false })
    const { port } = await app.listen(0, '127.0.0.1')
    const url = `http://127.0.0.1:${port}/notes`
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ text: "Robert'); drop table note; --" })
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201)
    const { data } = (await (await fetch(url)).json()) as { data: unknown }
    expect(data).toEqual(["Robert'); drop table note; --"])
    await app.close()
  })

  it('can have several data sources with different names', async () => {
    const archive = typeorm({
      name: 'archive',
      type: 'sqljs',
      entities: [NoteEntity],
      synchronize: true,
    })

    @Controller('archive')
    class ArchiveController {
      readonly #notes = inject(repositoryOf(NoteEntity))
      readonly #archive = inject(repositoryOf(NoteEntity, 'archive'))

      @Post()
      async archive() {
        const notes = await this.#notes.find()
        await this.#archive.insert(notes)
        await this.#notes.clear()
      }

      @Get()
      list() {
        return this.#archive.find()
      }
    }

    await using app = await TestApp.create({
      controllers: [NotesController, ArchiveController],
      plugins: [inMemory, archive],
    })
    await add(app, 'Buy milk')
    await app.request().post('/archive').expect(204)
    expect(await listOf(app)).toEqual([])
    const { body } = await app.request().get('/archive')
    expect(body.data).toEqual([{ id: 1, text: 'Buy milk' }])
    expect(app.get(dataSourceOf('archive'))).not.toBe(app.get(DataSource))
  })

  it('rolls back a transaction that fails', async () => {
    @Controller('batches')
    class BatchesController {
      readonly #dataSource = inject(DataSource)

      @Post()
      async add() {
        await this.#dataSource.transaction(async (manager) => {
          await manager.insert(NoteEntity, { text: 'Buy milk' })
          await manager.insert(NoteEntity, { text: 'Buy milk' })
        })
      }
    }
    const controllers = [NotesController, BatchesController]
    await using app = await TestApp.create({ ...options, controllers })
    await app.request().post('/batches').expect(500)
    expect(await listOf(app)).toEqual([])
  })
})

describe('an error of TypeORM', () => {
  it('causes a 500 response without details', async () => {
    await using app = await TestApp.create(options)
    await add(app, 'Buy milk').expect(201)
    const failure = {
      statusCode: 'error',
      status: 500,
      message: 'Internal Server Error',
      code: 'INTERNAL_SERVER_ERROR',
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    }
    const duplicate = await add(app, 'Buy milk')
    expect([duplicate.status, duplicate.body]).toEqual([500, failure])
    const missing = await app.request().get('/notes/7')
    expect([missing.status, missing.body]).toEqual([500, failure])
    expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(2)
  })

  it('can be converted by an error middleware', async () => {
    await using app = await TestApp.create({
      ...options,
      middlewares: [
        (error, _req, _res, next) => {
          if (error instanceof EntityNotFoundError) return next(new NotFoundError())
          const isDuplicate =
            error instanceof QueryFailedError && /unique/i.test(error.driverError.message)
          next(isDuplicate ? new ConflictError('There is such a note') : error)
        },
      ],
    })
    await add(app, 'Buy milk').expect(201)
    const { status, body } = await add(app, 'Buy milk')
    expect([status, body.message]).toEqual([409, 'There is such a note'])
    await app.request().get('/notes/7').expect(404)
    // The error of a handler is logged before error middlewares see it.
    const logged = app.logs.map(({ facts }) => (facts as { err: Error }).err.constructor)
    expect(logged).toEqual([QueryFailedError, EntityNotFoundError])
  })
})
