//! A walk through the service. Arguments: the service's address, a picture, a user name.
use adsvc::apis::configuration::Configuration;
use adsvc::apis::{ads_api, auth_api, users_api, Error};
use adsvc::models::{CreateAd, CreateOrUpdateAd, Login, Register, User};

const PASSWORD: &str = "correct horse battery";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, picture, name] = arguments.as_slice() else {
        return Err("address, picture, name".into());
    };
    let mut service = Configuration { base_path: address.clone(), ..Default::default() };

    auth_api::register(&service, Register::new(name.clone(), PASSWORD.into()), None, None).await?;
    let pair = auth_api::login(&service, Login::new(name.clone(), PASSWORD.into())).await?;
    service.bearer_access_token = Some(pair.access_token);

    let oak = CreateAd {
        price: Some(150),
        ..CreateAd::new("Oak table, seats six".into(), "Solid oak, oiled.".into())
    };
    let title = oak.title.clone();
    let ad = ads_api::create_ad(&service, oak, vec![picture.into()], None, None).await?;
    let listed = ads_api::list_ads(
        &service, None, None, None, None, None, None, None, None, None, None, None, None, None,
        None, Some("-price"), None,
    )
    .await?;
    assert!(listed.results.iter().any(|each| each.pk == ad.pk), "not listed");
    assert_eq!(title, ads_api::get_ad(&service, ad.pk, None).await?.title);
    let oiled = CreateOrUpdateAd { title: Some("Oak table, oiled".into()), ..Default::default() };
    let changed = ads_api::update_ad(&service, ad.pk, oiled, None, None).await?;
    assert_eq!("Oak table, oiled", changed.title);
    ads_api::delete_ad(&service, ad.pk, None).await?;
    match ads_api::get_ad(&service, ad.pk, None).await {
        Err(Error::ResponseError(refused)) => assert_eq!(404, refused.status.as_u16()),
        _ => panic!("a deleted ad is there"),
    }

    // A value that a later version may answer.
    let mut me = serde_json::to_value(users_api::get_me(&service, None).await?)?;
    me["role"] = "AUDITOR".into();
    assert_eq!("AUDITOR", serde_json::from_value::<User>(me)?.role);
    println!("walked");
    Ok(())
}
