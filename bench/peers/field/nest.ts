// NestJS 12 as its documentation has it, on either of its platforms: the last argument says on which. A provider has the pool, its cache
// module the cache, and `@Render` the view, by hbs or @fastify/view.
import 'reflect-metadata'
import { CACHE_MANAGER, type Cache, CacheModule } from '@nestjs/cache-manager'
import { Controller, Get, Header, Inject, Injectable, Module, Query, Render } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import Handlebars from 'handlebars'
import pg from 'pg'
import { announce } from '../../candidates/serve.mjs'
import {
  changeWorlds,
  countOf,
  DATABASE_URL,
  POOL_SIZE,
  randomIds,
  randomNumber,
  statementsOf,
  VIEWS,
  withAdded,
} from '../../field/world.mjs'
import { KEEP_ALIVE_SECONDS } from '../../orders.mjs'

const platform = process.argv[3]
const STATEMENTS = statementsOf()
const POOL = Symbol('POOL')

@Injectable()
class WorldsService {
  constructor(
    @Inject(POOL) private readonly pool: pg.Pool,
    @Inject(CACHE_MANAGER) private readonly cache: Cache,
  ) {}

  async find(id: number) {
    const { rows } = await this.pool.query(STATEMENTS.world, [id])
    return rows[0]
  }

  findAll(count: number) {
    return Promise.all(randomIds(count).map((id) => this.find(id)))
  }

  async change(count: number) {
    const [changed, values] = changeWorlds(await this.findAll(count))
    await this.pool.query(STATEMENTS.update, values)
    return changed
  }

  async findCached(id: number) {
    const key = `world:${id}`
    const kept = await this.cache.get(key)
    if (kept !== undefined) return kept
    const { rows } = await this.pool.query(STATEMENTS.cachedWorld, [id])
    await this.cache.set(key, rows[0])
    return rows[0]
  }

  async fortunes() {
    const { rows } = await this.pool.query(STATEMENTS.fortunes)
    return withAdded(rows)
  }
}

@Controller()
class FieldController {
  constructor(private readonly worlds: WorldsService) {}

  @Get('json')
  json() {
    return { message: 'Hello, World!' }
  }

  @Get('plaintext')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  plaintext() {
    return 'Hello, World!'
  }

  @Get('db')
  one() {
    return this.worlds.find(randomNumber())
  }

  @Get('queries')
  many(@Query('queries') queries: string) {
    return this.worlds.findAll(countOf(queries))
  }

  @Get('fortunes')
  @Render('fortunes')
  async fortunes() {
    return { fortunes: await this.worlds.fortunes() }
  }

  @Get('updates')
  update(@Query('queries') queries: string) {
    return this.worlds.change(countOf(queries))
  }

  @Get('cached-worlds')
  cached(@Query('count') count: string) {
    return Promise.all(randomIds(countOf(count)).map((id) => this.worlds.findCached(id)))
  }
}

const pool = {
  provide: POOL,
  useFactory: () => new pg.Pool({ connectionString: DATABASE_URL, max: POOL_SIZE }),
}

@Module({
  imports: [CacheModule.register()],
  controllers: [FieldController],
  providers: [pool, WorldsService],
})
class FieldModule {}

const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter()
const logged = { logger: ['error' as const] }
const app = await NestFactory.create<NestExpressApplication & NestFastifyApplication>(
  FieldModule,
  adapter,
  logged,
)
if (platform === 'fastify') {
  app.setViewEngine({ engine: { handlebars: Handlebars }, templates: VIEWS, viewExt: 'hbs' })
} else {
  app.setBaseViewsDir(VIEWS)
  app.setViewEngine('hbs')
  const express = app.getHttpAdapter().getInstance()
  express.disable('x-powered-by').disable('etag').set('view options', { layout: false })
}

const server = app.getHttpServer()
server.keepAliveTimeout = KEEP_ALIVE_SECONDS * 1000
await app.listen(0, '127.0.0.1')
announce(server.address().port)
