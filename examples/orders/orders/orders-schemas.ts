import { z } from 'zod'
import { Paging } from '../shared/paging.js'

const OrderStatus = z.enum(['open', 'paid', 'cancelled'])

const Address = z.object({
  street: z.string().min(1),
  city: z.string().min(1),
  country: z.string().length(2).toUpperCase(),
})

const OrderLine = z.object({
  sku: z.string().min(1).max(40),
  quantity: z.int().min(1).default(1),
  /** In cents. */
  unitPrice: z.int().min(0),
})

export const OrderId = z.object({ id: z.coerce.number().int().positive() })

export const OrderFilter = Paging.extend({
  status: OrderStatus.optional(),
  customerId: z.coerce.number().int().positive().optional(),
})

export const NewOrder = z.object({
  customerId: z.int().positive(),
  shipTo: Address,
  lines: z.array(OrderLine).min(1).max(100),
})

export type OrderFilter = z.infer<typeof OrderFilter>
export type NewOrder = z.infer<typeof NewOrder>

export interface Order extends NewOrder {
  id: number
  status: z.infer<typeof OrderStatus>
  /** In cents. */
  total: number
  placedBy: string
  placedAt: Date
}
