import { ConflictError, inject, Outgoing, requireTenantId, ServiceUnavailableError } from 'blazon'
import { Env } from '../shared/env.js'
import type { Order } from './orders-schemas.js'

/** Charges customers through another host. Without `PAYMENTS_URL`, customers are not charged. */
export class Payments {
  private readonly url = inject(Env).PAYMENTS_URL
  private readonly outgoing = inject(Outgoing)

  async charge({ id, total }: Order): Promise<void> {
    if (this.url === undefined) return
    const response = await this.outgoing(new URL('charges', this.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        // Even if the call is repeated, the customer pays only once.
        'idempotency-key': `${requireTenantId()}-${id}`,
      },
      body: JSON.stringify({ order: id, cents: total }),
    })
    if (response.ok) return
    if (response.status === 402) {
      throw new ConflictError('The payment was declined', { code: 'PAYMENT_DECLINED' })
    }
    throw new ServiceUnavailableError(`The payment host responded with ${response.status}`)
  }
}
