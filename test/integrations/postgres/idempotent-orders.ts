import { Body, Controller, HttpCode, Idempotent, inject, Post, type Req, Tenant } from 'blazon'
import { Database } from 'blazon/postgres'
import { z } from 'zod'

const Order = z.object({ note: z.string().max(60) })

/** Each request saves two rows of a note, and returns their number. */
@Controller('orders')
export class IdempotentOrders {
  private readonly db = inject(Database)

  @Idempotent({ required: true })
  @Post()
  @HttpCode(201)
  @Body(Order)
  @Tenant()
  async create({ body: { note } }: Req<{ body: typeof Order }>) {
    await this.db.sql`insert into orders (note) values (${note})`
    await this.db.sql`insert into orders (note) values (${note})`
    if (note.startsWith('bad')) throw new Error('It fails after its effect')
    const [row] = await this.db.sql`select count(*)::int as rows from orders where note = ${note}`
    return row
  }
}
