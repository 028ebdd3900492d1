import { page } from 'blazon'
import { z } from 'zod'
import { MAX_INTEGER, RowId, textOf } from '../shared/fields.js'

const OrderStatus = z.enum(['open', 'paid', 'cancelled'])

const Address = z.object({
  street: textOf(200),
  city: textOf(100),
  country: z
    .string()
    .length(2)
    .regex(/^[A-Za-z]+$/)
    .toUpperCase(),
})

const OrderLine = z.object({
  sku: textOf(40),
  quantity: z.int().min(1).max(10_000).default(1),
  unitPrice: z.int().min(0).max(100_000_000).describe('In cents'),
})

export const OrderId = z.object({
  id: RowId.describe('The order number'),
})

export const OrderFilter = z.object({
  status: OrderStatus.optional().describe('Only orders with this status'),
  customerId: RowId.optional().describe('Only orders of this customer'),
})

export const NewOrder = z
  .object({
    customerId: z.int().positive().max(MAX_INTEGER),
    shipTo: Address,
    lines: z.array(OrderLine).min(1).max(100),
  })
  .meta({ id: 'NewOrder' })

export const Order = NewOrder.extend({
  id: z.int().positive().max(MAX_INTEGER),
  status: OrderStatus,
  total: z.int().min(0).describe('In cents'),
  placedBy: z.string(),
  placedAt: z.date(),
}).meta({ id: 'Order' })

export const OrderPages = page(Order, { order: ['id'], filter: OrderFilter.shape })

/** The maximum number of orders in an export. */
export const EXPORT_LIMIT = 10_000

export const ExportedOrder = Order.pick({
  id: true,
  status: true,
  customerId: true,
  total: true,
  placedBy: true,
  placedAt: true,
}).meta({ id: 'ExportedOrder' })

export const ExportedAmount = ExportedOrder.omit({ total: true })
  .extend({ amount: z.number().min(0), currency: z.literal('EUR') })
  .meta({ id: 'ExportedAmount' })

export type OrderFilter = z.infer<typeof OrderFilter>
export type ExportedOrder = z.infer<typeof ExportedOrder>
export type OrderId = z.infer<typeof OrderId>
export type NewOrder = z.infer<typeof NewOrder>
export type Order = z.infer<typeof Order>
