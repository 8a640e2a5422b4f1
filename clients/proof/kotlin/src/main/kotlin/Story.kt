import adsvc.apis.AdsApi
import adsvc.apis.AuthApi
import adsvc.apis.UsersApi
import adsvc.infrastructure.ApiClient
import adsvc.infrastructure.ClientException
import adsvc.infrastructure.Serializer
import adsvc.models.CreateAd
import adsvc.models.CreateOrUpdateAd
import adsvc.models.Login
import adsvc.models.Register
import adsvc.models.Sort
import adsvc.models.User
import java.io.File
import kotlin.system.exitProcess

const val PASSWORD = "correct horse battery"

/** Arguments: the service's address, a picture, a user name. */
fun main(arguments: Array<String>) {
    val (address, picture, name) = arguments
    val auth = AuthApi(address)
    auth.register(register = Register(username = name, password = PASSWORD))
    ApiClient.accessToken = auth.login(Login(username = name, password = PASSWORD)).accessToken

    val ads = AdsApi(address)
    val oak = CreateAd(title = "Oak table, seats six", price = 150, description = "Solid oak, oiled.")
    val ad = ads.createAd(properties = oak, image = listOf(File(picture)))
    check(ad in ads.listAds(sort = Sort.DEAREST).results)
    check(ads.getAd(ad.pk).title == oak.title)
    val changed = ads.updateAd(id = ad.pk, createOrUpdateAd = CreateOrUpdateAd(title = "Oak table, oiled"))
    check(changed.title == "Oak table, oiled" && changed.price == 150)
    ads.deleteAd(id = ad.pk)
    try {
        ads.getAd(ad.pk)
        error("It is still there.")
    } catch (refused: ClientException) {
        check(refused.statusCode == 404)
    }
    // A value that a later version may answer.
    val users = Serializer.moshi.adapter(User::class.java)
    val later = users.toJson(UsersApi(address).getMe()).replace("\"USER\"", "\"AUDITOR\"")
    check(users.fromJson(later)?.role == "AUDITOR")
    println("walked")
    // OkHttp keeps threads for a while.
    exitProcess(0)
}
