import {
  ApiResponse,
  ApiTags,
  Auth,
  Controller,
  fileResponse,
  Get,
  inject,
  Post,
  Tenant,
  type UploadOutput,
} from 'blazon'
import { OrderId } from './orders-schemas.js'
import { NewReceipt, Receipt, Receipts } from './receipts.js'

@Auth()
@Tenant()
@ApiTags('Orders')
@Controller('orders/:id/receipt')
export class ReceiptsController {
  private readonly receipts = inject(Receipts)

  @Post('', {
    params: OrderId,
    upload: NewReceipt,
    returns: Receipt,
    status: 201,
    errors: { 404: 'No such order' },
    can: 'orders:write',
  })
  async add({ params, body }: { params: OrderId; body: UploadOutput<typeof NewReceipt> }) {
    const { note, receipt } = body
    const content = await receipt.bytes()
    return this.receipts.put(params.id, note, { type: receipt.type, content })
  }

  @Get('', { params: OrderId })
  @ApiResponse({ status: 200, description: 'The file', content: 'application/octet-stream' })
  async download({ params }: { params: OrderId }) {
    const { type, content } = await this.receipts.get(params.id)
    return fileResponse(content, { name: `Receipt ${params.id}.${type.replace(/.*\//, '')}` })
  }
}
