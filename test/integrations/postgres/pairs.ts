import {
  Controller,
  Get,
  Health,
  HttpCode,
  inject,
  Post,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import { Database } from 'blazon/postgres'
import { Barrier } from '../../conformance/tenant-orders.js'

const INSERT = 'insert into orders (note) values ($1)'

/** Each request saves two rows of a name. After any failure, there are two rows of a name, or none. */
@Tenant()
@Controller('pairs')
export class PairsController {
  private readonly db = inject(Database)
  private readonly barrier = inject(Barrier)

  @Post(':name')
  @HttpCode(201)
  async add({ params: { name } }: Request) {
    await this.db.query(INSERT, [name])
    await this.db.query(INSERT, [name])
    return { name }
  }

  /** Waits for the barrier before it adds the second row. */
  @Post(':name/slowly')
  @HttpCode(201)
  async addSlowly({ params: { name } }: Request) {
    await this.db.query(INSERT, [name])
    await this.barrier.wait()
    await this.db.query(INSERT, [name])
    return { name }
  }

  @Get()
  async list() {
    return await this.db.sql`select note, count(*)::int as count from orders group by note`
  }
}

@Controller('ready')
export class ReadyController {
  private readonly health = inject(Health)

  @Get()
  async ready(_req: Request, res: Response) {
    const { status } = await this.health.check()
    res.status(status === 'up' ? 200 : 503).json({ status })
  }
}

/** Finds names that do not have exactly two rows. */
export const HALVES = `select note, count(*)::int as count from orders group by note
  having count(*) <> 2`
