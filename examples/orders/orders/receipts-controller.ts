import {
  ApiResponseDoc,
  ApiTags,
  Auth,
  BaseController,
  Can,
  Controller,
  fileResponse,
  Get,
  inject,
  Params,
  Post,
  type Req,
  type Response,
  Tenant,
  Upload,
} from 'blazon'
import { OrderId } from './orders-schemas.js'
import { NewReceipt, Receipt, Receipts } from './receipts.js'

@Auth()
@Tenant()
@ApiTags('Orders')
@Controller('orders/:id/receipt')
export class ReceiptsController extends BaseController {
  private readonly receipts = inject(Receipts)

  @Post()
  @Can('orders:write')
  @Params(OrderId)
  @Upload(NewReceipt)
  @ApiResponseDoc({ status: 201, description: 'The receipt', schema: Receipt })
  @ApiResponseDoc({ status: 404, description: 'No such order' })
  async add(req: Req<{ params: typeof OrderId; upload: typeof NewReceipt }>, res: Response) {
    const { note, receipt } = req.body
    const content = await receipt.bytes()
    const added = await this.receipts.put(req.params.id, note, { type: receipt.type, content })
    return this.ok(res, 'Receipt added', added, 201)
  }

  @Get()
  @Params(OrderId)
  @ApiResponseDoc({ status: 200, description: 'The file', content: 'application/octet-stream' })
  async download(req: Req<{ params: typeof OrderId }>) {
    const { type, content } = await this.receipts.get(req.params.id)
    return fileResponse(content, { name: `Receipt ${req.params.id}.${type.replace(/.*\//, '')}` })
  }
}
