import { file, inject, NotFoundError } from 'blazon'
import { Database } from 'blazon/postgres'
import { z } from 'zod'
import { textOf } from '../shared/fields.js'
import { Now } from '../shared/now.js'
import { OrdersService } from './orders-service.js'

/** The form with which a receipt is sent. */
export const NewReceipt = {
  note: textOf(200).describe('The description of the receipt'),
  receipt: file({ maxSize: '5mb', types: ['application/pdf', 'image/png', 'image/jpeg'] }),
}

export const Receipt = z
  .object({
    note: z.string(),
    type: z.string(),
    size: z.int().min(1).describe('In bytes'),
    addedAt: z.date(),
  })
  .meta({ id: 'Receipt' })

export type Receipt = z.infer<typeof Receipt>

/** A receipt, as it was uploaded. */
export interface ReceiptFile {
  readonly type: string
  readonly content: Uint8Array
}

/** The receipts of orders, at most one for each order. They are small, so they are stored in the database. */
export class Receipts {
  private readonly db = inject(Database)
  private readonly orders = inject(OrdersService)
  private readonly now = inject(Now)

  async put(id: number, note: string, { type, content }: ReceiptFile): Promise<Receipt> {
    await this.orders.get(id)
    const addedAt = this.now()
    await this.db.sql`
      insert into receipts (order_id, note, type, content, added_at)
      values (${id}, ${note}, ${type}, ${content}, ${addedAt})
      on conflict (tenant_id, order_id) do update set
        note = excluded.note, type = excluded.type, content = excluded.content, added_at = excluded.added_at`
    return { note, type, size: content.length, addedAt }
  }

  async get(id: number): Promise<ReceiptFile> {
    const [receipt] = await this.db.sql<ReceiptFile>`
      select type, content from receipts where order_id = ${id}`
    if (receipt === undefined) throw new NotFoundError(`Order ${id} has no receipt`)
    return receipt
  }
}
