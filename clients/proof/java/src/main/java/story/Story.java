package story;

import adsvc.ApiClient;
import adsvc.ApiException;
import adsvc.api.AdsApi;
import adsvc.api.AuthApi;
import adsvc.api.UsersApi;
import adsvc.model.Ad;
import adsvc.model.Ads;
import adsvc.model.CreateAd;
import adsvc.model.CreateOrUpdateAd;
import adsvc.model.Login;
import adsvc.model.Register;
import adsvc.model.Sort;
import adsvc.model.User;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.List;

/** Arguments: the service's address, a picture, a user name. */
public final class Story {
    private static final String PASSWORD = "correct horse battery";

    /** The generator's library for the JDK's client sends what an object's toString says. */
    private static final class Properties extends CreateAd {
        @Override
        public String toString() {
            try {
                return ApiClient.createDefaultObjectMapper().writerFor(CreateAd.class).writeValueAsString(this);
            } catch (JsonProcessingException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        File picture = new File(arguments[1]);
        AuthApi auth = new AuthApi(client);

        auth.register(AuthApi.APIRegisterRequest.newBuilder()
                .register(new Register().username(arguments[2]).password(PASSWORD)).build());
        String token = auth.login(AuthApi.APILoginRequest.newBuilder()
                .login(new Login().username(arguments[2]).password(PASSWORD)).build()).getAccessToken();
        client.setRequestInterceptor(request -> request.setHeader("Authorization", "Bearer " + token));
        AdsApi ads = new AdsApi(client);

        CreateAd oak = new Properties();
        oak.title("Oak table, seats six").price(150).description("Solid oak, oiled.");
        Ad ad = ads.createAd(AdsApi.APICreateAdRequest.newBuilder().properties(oak).image(List.of(picture)).build());
        Ads dearest = ads.listAds(AdsApi.APIListAdsRequest.newBuilder().sort(Sort.DEAREST).build());
        expect("it is listed", dearest.getResults().contains(ad));
        AdsApi.APIGetAdRequest asked = AdsApi.APIGetAdRequest.newBuilder().id(ad.getPk()).build();
        expect("it is read", ads.getAd(asked).getTitle().equals(oak.getTitle()));
        Ad changed = ads.updateAd(AdsApi.APIUpdateAdRequest.newBuilder().id(ad.getPk())
                .createOrUpdateAd(new CreateOrUpdateAd().title("Oak table, oiled")).build());
        expect("it is changed", changed.getTitle().equals("Oak table, oiled") && changed.getPrice() == 150);
        ads.deleteAd(AdsApi.APIDeleteAdRequest.newBuilder().id(ad.getPk()).build());
        try {
            ads.getAd(asked);
            expect("it is gone", false);
        } catch (ApiException refused) {
            expect("it is gone", refused.getCode() == 404);
        }

        // A value that a later version may answer.
        ObjectMapper mapper = ApiClient.createDefaultObjectMapper();
        User me = new UsersApi(client).getMe(UsersApi.APIGetMeRequest.newBuilder().build());
        String later = mapper.writeValueAsString(me).replace("\"USER\"", "\"AUDITOR\"");
        expect("it is read", mapper.readValue(later, User.class).getRole().equals("AUDITOR"));
        System.out.println("walked");
    }

    private static void expect(String what, boolean true_) {
        if (!true_) {
            throw new IllegalStateException(what);
        }
    }
}
