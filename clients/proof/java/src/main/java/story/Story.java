package story;

import adsvc.ApiClient;
import adsvc.ApiException;
import adsvc.api.AdsApi;
import adsvc.api.AuthApi;
import adsvc.model.Ad;
import adsvc.model.CreateAd;
import adsvc.model.CreateOrUpdateAd;
import adsvc.model.Login;
import adsvc.model.Register;
import adsvc.model.Sort;
import java.io.File;
import java.util.List;

/** Arguments: the service's address, a picture, a user name. */
public final class Story {
    private static final String PASSWORD = "correct horse battery";

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        File picture = new File(arguments[1]);
        AuthApi auth = new AuthApi(client);
        AdsApi ads = new AdsApi(client);

        auth.register(new Register().username(arguments[2]).password(PASSWORD));
        String token = auth.login(new Login().username(arguments[2]).password(PASSWORD)).getAccessToken();
        client.setRequestInterceptor(request -> request.setHeader("Authorization", "Bearer " + token));

        CreateAd oak = new CreateAd().title("Oak table, seats six").price(150).description("Solid oak, oiled.");
        Ad ad = ads.createAd(oak, List.of(picture));
        System.out.println("walked");
    }
}
